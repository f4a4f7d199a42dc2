import { randomBytes } from 'node:crypto';
import { SERVER_TASK_ID } from '../../protocol/index.ts';

const HALF = 16;

/** Numbers calls, and makes ids of 32 hex characters out of the numbers: unique here and, by their random half, elsewhere. */
export class CallIds {
  readonly #prefix = randomBytes(HALF / 2).toString('hex');
  #count = 0;
  /** All but the last four digits of an id, which are the same for 65,536 ids in a row. */
  #head = '';
  #headOf = -1;

  /** The number of the next call. */
  next(): number {
    this.#count += 1;
    return this.#count - 1;
  }

  /** The id of a call for which the client chose none. */
  toId(number: number): string {
    const low = number & 0xffff;
    const high = (number - low) / 0x10000;
    if (high !== this.#headOf) {
      this.#headOf = high;
      this.#head = this.#prefix + high.toString(16).padStart(HALF - 4, '0');
    }
    return this.#head + BYTES[low >> 8] + BYTES[low & 0xff];
  }

  /** The number of an id; undefined if the id was not made here. */
  numberOf(id: string): number | undefined {
    if (!id.startsWith(this.#prefix) || !isServerMade(id)) return undefined;
    const number = Number.parseInt(id.slice(HALF), 16);
    return number < this.#count ? number : undefined;
  }
}

const BYTES: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Whether an id has the form of those that servers make, so that it was not a client's choice. */
export function isServerMade(id: string): boolean {
  return id.length === 2 * HALF && SERVER_TASK_ID.test(id);
}
