import { randomBytes } from 'node:crypto';
import { SERVER_TASK_ID } from '../../protocol/index.ts';

const HALF = 16;

/** Numbers calls, and makes ids of 32 hex characters out of the numbers: unique here and, by their random half, elsewhere. */
export class CallIds {
  readonly #prefix = randomBytes(HALF / 2).toString('hex');
  #count = 0;

  /** The number of the next call. */
  next(): number {
    this.#count += 1;
    return this.#count - 1;
  }

  /** The id of a call for which the client chose none. */
  toId(number: number): string {
    return this.#prefix + number.toString(16).padStart(HALF, '0');
  }

  /** The number of an id; undefined if the id was not made here. */
  numberOf(id: string): number | undefined {
    if (!id.startsWith(this.#prefix) || !isServerMade(id)) return undefined;
    const number = Number.parseInt(id.slice(HALF), 16);
    return number < this.#count ? number : undefined;
  }
}

/** Whether an id has the form of those that servers make, so that it was not a client's choice. */
export function isServerMade(id: string): boolean {
  return id.length === 2 * HALF && SERVER_TASK_ID.test(id);
}
