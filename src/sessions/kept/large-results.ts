import { LRUCache } from 'lru-cache';
import { isNobody } from '../identity.ts';

/** What is kept of a large result. */
export interface Large {
  /** Whose it is; empty where nobody is known. */
  readonly identity: string;
  readonly keptAt: number;
  readonly bytes: number;
}

/** Large results by the numbers of their calls. One identity gets half of the room at the most: it pushes out its own first. */
export class LargeResults<T extends Large> {
  readonly #maxBytes: number;
  readonly #all: LRUCache<number, T>;
  readonly #byOwner = new Map<string, Owned>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#all = new LRUCache({
      maxSize: maxBytes,
      // The newest is kept whatever its size: its client may not have read it yet.
      sizeCalculation: ({ bytes }) => Math.min(maxBytes, bytes),
      dispose: (large, number) => this.#disown(number, large),
    });
  }

  get bytes(): number {
    return this.#all.calculatedSize;
  }

  get oldest(): T | undefined {
    const { value, done } = this.#all.rvalues().next();
    return done ? undefined : value;
  }

  find(number: number): T | undefined {
    return this.#all.peek(number);
  }

  add(number: number, large: T): void {
    if (!isNobody(large.identity)) this.#makeRoomAmongOwn(large);
    this.#all.set(number, large);
    this.#own(number, large);
  }

  drop(number: number): void {
    this.#all.delete(number);
  }

  dropOldest(): void {
    this.#all.pop();
  }

  #makeRoomAmongOwn({ identity, bytes }: T): void {
    for (let own = this.#byOwner.get(identity); own !== undefined; own = this.#byOwner.get(identity)) {
      const [oldest] = own.numbers;
      if (oldest === undefined || own.bytes + bytes <= this.#maxBytes / 2) return;
      this.#all.delete(oldest);
    }
  }

  #own(number: number, { identity, bytes }: T): void {
    const own = this.#byOwner.get(identity) ?? { bytes: 0, numbers: new Set<number>() };
    own.bytes += bytes;
    own.numbers.add(number);
    this.#byOwner.set(identity, own);
  }

  #disown(number: number, { identity, bytes }: T): void {
    const own = this.#byOwner.get(identity);
    if (!own?.numbers.delete(number)) return;
    own.bytes -= bytes;
    if (own.numbers.size === 0) this.#byOwner.delete(identity);
  }
}

interface Owned {
  bytes: number;
  /** The oldest first. */
  readonly numbers: Set<number>;
}
