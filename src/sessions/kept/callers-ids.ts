import { callerOf } from '../key.ts';
import { AgedMap } from './aged-map.ts';
import { RecentIds } from './recent-ids.ts';

// They take up to 8.6 MB, and twice as many may be there.
const IDS_OF_CALLER = 750_000;

const MAX_BYTES = 128 * 1024 * 1024;

// What a caller takes besides the ids, about.
const CALLER_BYTES = 768;

/** How much of them is remembered. */
export interface CallersIdsOptions {
  /** At least so many of each caller. */
  readonly idsOfCaller?: number;
  readonly maxBytes?: number;
}

/**
 * Remembers the ids that callers have used, each caller's apart: however much one of them calls, it forgets only its own.
 * When all together take too much, those go whose caller has not been heard of for the longest time.
 */
export class CallersIds {
  readonly #callers = new AgedMap<RecentIds>();
  readonly #idsOfCaller: number;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor({ idsOfCaller = IDS_OF_CALLER, maxBytes = MAX_BYTES }: CallersIdsOptions = {}) {
    this.#idsOfCaller = idsOfCaller;
    this.#maxBytes = maxBytes;
  }

  has(key: string): boolean {
    return this.#callers.get(callerOf(key))?.has(key) === true;
  }

  add(key: string): void {
    const caller = callerOf(key);
    const ids = this.#callers.get(caller) ?? this.#begin();
    const before = ids.bytes;
    ids.add(key);
    this.#bytes += ids.bytes - before;
    this.#callers.set(caller, ids);
    while (this.#bytes > this.#maxBytes && this.#callers.size > 1) this.#forgetQuietest();
  }

  #begin(): RecentIds {
    const ids = new RecentIds(this.#idsOfCaller);
    this.#bytes += CALLER_BYTES + ids.bytes;
    return ids;
  }

  #forgetQuietest(): void {
    const { oldest } = this.#callers;
    if (oldest === undefined) return;
    this.#callers.delete(oldest.key);
    this.#bytes -= CALLER_BYTES + oldest.value.bytes;
  }
}
