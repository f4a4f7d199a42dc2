import { randomBytes } from 'node:crypto';
import { SERVER_TASK_ID } from '../../protocol/index.ts';

const HALF = 16;

/** Makes ids of 32 hex characters, unique in this process and, by their random half, across processes. */
export class TaskIds {
  readonly #prefix = randomBytes(HALF / 2).toString('hex');
  #count = 0;

  /** The number of the next id. */
  next(): number {
    this.#count += 1;
    return this.#count - 1;
  }

  /** The id of a number. */
  toId(number: number): string {
    return this.#prefix + number.toString(16).padStart(HALF, '0');
  }

  /** The number of an id; undefined if it was not made here. */
  numberOf(id: string): number | undefined {
    if (!id.startsWith(this.#prefix) || !SERVER_TASK_ID.test(id)) return undefined;
    const number = Number.parseInt(id.slice(HALF), 16);
    return number < this.#count ? number : undefined;
  }
}
