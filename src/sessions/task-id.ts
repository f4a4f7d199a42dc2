import { randomBytes } from 'node:crypto';
import { SERVER_TASK_ID } from '../protocol/index.ts';

const HALF = 16;

/** Makes ids of 32 hex characters, unique in this process and, by their random half, across processes. */
export class TaskIds {
  readonly #prefix = randomBytes(HALF / 2).toString('hex');
  #count = 0;

  next(): string {
    const id = this.#prefix + this.#count.toString(16).padStart(HALF, '0');
    this.#count += 1;
    return id;
  }

  /** Which of these ids it is, counted from 0; undefined if it was not made here. */
  numberOf(id: string): number | undefined {
    if (!id.startsWith(this.#prefix) || !SERVER_TASK_ID.test(id)) return undefined;
    const number = Number.parseInt(id.slice(HALF), 16);
    return number < this.#count ? number : undefined;
  }
}
