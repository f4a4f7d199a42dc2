import { LRUCache } from 'lru-cache';
import { UsedIds } from './used-ids.ts';

// They take up to 17 MB, and twice as many may be there.
const IDS_OF_CALLER = 750_000;

const MAX_BYTES = 128 * 1024 * 1024;

// About what a caller takes besides the ids.
const CALLER_BYTES = 768;

/** How much of them is remembered. */
export interface CallersIdsOptions {
  /** At least so many of each caller. */
  readonly idsOfCaller?: number;
  readonly maxBytes?: number;
}

/**
 * Remembers the ids that callers have used, each caller's apart: however much one of them calls, it forgets only its own.
 * When all together take too much, the caller goes first that has not called for the longest time.
 */
export class CallersIds {
  readonly #callers: LRUCache<string, UsedIds>;
  readonly #idsOfCaller: number;

  constructor({ idsOfCaller = IDS_OF_CALLER, maxBytes = MAX_BYTES }: CallersIdsOptions = {}) {
    // A caller alone may take all there is, but is never forgotten.
    const sizeCalculation = (ids: UsedIds) => Math.min(maxBytes, CALLER_BYTES + ids.bytes);
    this.#callers = new LRUCache({ maxSize: maxBytes, sizeCalculation });
    this.#idsOfCaller = idsOfCaller;
  }

  /** The number of the call that used this id of a caller's; undefined if none did. */
  find(caller: string, id: string): number | undefined {
    return this.#callers.peek(caller)?.find(id);
  }

  add(caller: string, id: string, number: number): void {
    let ids = this.#callers.get(caller);
    const before = ids?.bytes;
    ids ??= new UsedIds(this.#idsOfCaller);
    ids.add(id, number);
    if (ids.bytes === before) return;
    // The cache asks for the size of a value only when it is new.
    this.#callers.delete(caller);
    this.#callers.set(caller, ids);
  }
}
