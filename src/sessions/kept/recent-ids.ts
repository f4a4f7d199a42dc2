import { randomInt } from 'node:crypto';
import { IdTable } from './id-table.ts';

const ALL_BITS = 2 ** 32;

/**
 * Remembers at least so many of the ids that came last, and at most twice as many, in two generations: when the young one
 * is full it becomes the old one, and what was the old one is forgotten at a stroke. As hashes, so that long ids take no
 * more room than short ones: of 64 bits, so one new id in about a million million is taken for one that was there before.
 */
export class RecentIds {
  readonly #atLeast: number;
  // Nobody can choose ids whose hashes meet without knowing them.
  readonly #highSeed = randomInt(ALL_BITS);
  readonly #lowSeed = randomInt(ALL_BITS);
  #young = new IdTable();
  #old: IdTable | undefined;
  // The hash of the id at hand, in two halves; here, because a pair would be one more object for each call.
  #high = 0;
  #low = 0;

  constructor(atLeast: number) {
    this.#atLeast = atLeast;
  }

  /** How much memory its ids take. */
  get bytes(): number {
    return this.#young.bytes + (this.#old?.bytes ?? 0);
  }

  has(id: string): boolean {
    this.#hash(id);
    return this.#young.has(this.#high, this.#low) || this.#old?.has(this.#high, this.#low) === true;
  }

  add(id: string): void {
    if (this.#young.size >= this.#atLeast) {
      this.#old = this.#young;
      this.#young = new IdTable();
    }
    this.#hash(id);
    this.#young.add(this.#high, this.#low);
  }

  // Two multiplicative hashes side by side. V8 has a better one, but does not tell it.
  #hash(id: string): void {
    let high = this.#highSeed;
    let low = this.#lowSeed;
    for (let at = 0; at < id.length; at += 1) {
      const code = id.charCodeAt(at);
      high = Math.imul(high ^ code, 0x9e3779b1);
      high ^= high >>> 15;
      low = Math.imul(low ^ code, 0x85ebca77);
      low ^= low >>> 13;
    }
    this.#high = high;
    // No hash is 0 in both halves: that is a free slot.
    this.#low = high === 0 && low === 0 ? 1 : low;
  }
}
