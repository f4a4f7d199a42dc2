import { randomBytes } from 'node:crypto';

const FORM = /^n[0-9a-f]{16}-[0-9a-z]+$/;

/** Makes the ids of calls for which clients chose none, so that they can be asked for at any node. */
export class TaskIds {
  readonly #prefix = `n${randomBytes(8).toString('hex')}-`;
  #count = 0;

  next(): string {
    this.#count += 1;
    return this.#prefix + this.#count.toString(36);
  }
}

/** Whether a node made the id, and not a client. */
export function isNodeMade(id: string): boolean {
  return FORM.test(id);
}
