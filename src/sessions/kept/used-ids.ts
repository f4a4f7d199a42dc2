import { randomInt } from 'node:crypto';
import { ABSENT, IdTable } from './id-table.ts';

const ALL_BITS = 2 ** 32;

// One pair for the whole process: nobody can choose ids whose hashes meet without knowing them.
const HIGH_SEED = randomInt(ALL_BITS);
const LOW_SEED = randomInt(ALL_BITS);

/**
 * Remembers the ids that clients have used, each with the number of its call: at least so many of the latest, at most
 * twice as many. There are two generations: when the young one is full it becomes the old one, and the former old one is
 * forgotten at once. Ids are kept as hashes of 64 bits, so that long ones take no more room than short ones; one new id in
 * about 10^12 is taken for one that was used before.
 */
export class UsedIds {
  readonly #atLeast: number;
  #young = new IdTable();
  #old: IdTable | undefined;
  // The id at hand, and its hash in two halves; fields, because a pair would be one more object for each call.
  #hashed: string | undefined;
  #high = 0;
  #low = 0;

  constructor(atLeast: number) {
    this.#atLeast = atLeast;
  }

  /** How much memory the ids take. */
  get bytes(): number {
    return this.#young.bytes + (this.#old?.bytes ?? 0);
  }

  /** The number of the call that used this id; undefined if none did. */
  find(id: string): number | undefined {
    this.#hash(id);
    let number = this.#young.get(this.#high, this.#low);
    if (number === ABSENT && this.#old !== undefined) number = this.#old.get(this.#high, this.#low);
    return number === ABSENT ? undefined : number;
  }

  add(id: string, number: number): void {
    if (this.#young.size >= this.#atLeast) {
      const forgotten = this.#old ?? new IdTable();
      forgotten.clear();
      this.#old = this.#young;
      this.#young = forgotten;
    }
    this.#hash(id);
    this.#young.set(this.#high, this.#low, number);
  }

  // Two multiplicative hashes side by side. V8 has a better one, but does not expose it.
  #hash(id: string): void {
    // Most are added when they were not found.
    if (id === this.#hashed) return;
    this.#hashed = id;
    let high = HIGH_SEED;
    let low = LOW_SEED;
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
