import type { Limits } from '../../core/index.ts';
import { mostBytes } from '../../protocol/index.ts';
import { CallIds } from '../call.ts';
import { bytesOf, type CallEnding } from '../call-ending.ts';
import { type Large, LargeResults } from './large-results.ts';
import { BLOCK_BYTES, BlockPool, PAGE_CALLS, Page } from './pages.ts';

/** A call that has ended, kept for clients that come back for it. */
export interface KeptCall {
  /** Whose call it is: the number of its session, or 0 outside sessions. */
  readonly owner: number;
  readonly ending: CallEnding;
  readonly durationMs: number;
  /** What was asked, where an id could be used for something else; otherwise empty. */
  readonly fingerprint: string;
  /** The same in short, of calls in sessions. */
  readonly checksum?: number;
}

type LargeCall = KeptCall & Large;

// With the fingerprint. Larger ones are few, and copying them would cost what keeping them saves.
const MAX_SMALL_CHARACTERS = 4_096;

// What a call takes on the heap besides its result.
const CALL_BYTES = 512;

/**
 * All results that are kept, by the numbers of their calls: those of sessions and those of toolkits. Nearly all are small,
 * and almost none is ever asked for again: as bytes outside the heap, a minute of them costs the garbage collector nothing,
 * where as objects they were the most expensive part of a call. Large ones and failures stay on the heap. Both share one
 * limit, and the oldest go first.
 */
export class KeptResults {
  readonly ids: CallIds = new CallIds();
  readonly #lingerMs: number;
  readonly #maxBytes: number;
  readonly #pool: BlockPool;
  /** In the order of their numbers, which is about that of time. */
  readonly #pages = new Map<number, Page>();
  #pageBytes = 0;
  readonly #large: LargeResults<LargeCall>;

  constructor({ lingerMs, maxKeptBytes }: Pick<Limits, 'lingerMs' | 'maxKeptBytes'>) {
    this.#lingerMs = lingerMs;
    this.#maxBytes = Math.max(1, maxKeptBytes);
    this.#pool = new BlockPool(maxKeptBytes);
    this.#large = new LargeResults(this.#maxBytes);
  }

  /** How much memory all of them take. */
  get bytes(): number {
    return this.#pageBytes + this.#large.bytes;
  }

  /** Keeps a call of an identity that has ended; true if it takes room on the heap, so that it is worth to be dropped early. */
  keep(number: number, call: KeptCall, now: number, identity = ''): boolean {
    const { owner, ending, durationMs, fingerprint, checksum = 0 } = call;
    const isSmall = ending.kind === 'returned' && fingerprint.length + ending.json.length <= MAX_SMALL_CHARACTERS;
    if (!isSmall) return this.#keepLarge(number, call, now, identity);
    const text = fingerprint + ending.json;
    const page = this.#pageFor(number, mostBytes(text));
    const at = number % PAGE_CALLS;
    const length = page.block.write(text, page.used);
    page.starts[at] = page.blockStart + page.used;
    page.lengths[at] = length;
    page.used += length;
    page.fingerprints[at] = fingerprint === '' ? 0 : Buffer.byteLength(fingerprint);
    page.owners[at] = owner;
    page.checksums[at] = checksum;
    // Rounded, as it is told, and not cut off: a repeat has the same bytes as the first answer.
    page.durations[at] = Math.round(durationMs);
    page.keptAt[at] = now;
    page.newestAt = now;
    return false;
  }

  /** Frees a call that nobody will ask for any more. */
  drop(number: number): void {
    this.#large.drop(number);
  }

  /** A call of this owner, while it is kept. */
  find(number: number, owner: number, now: number): KeptCall | undefined {
    const large = this.#large.find(number);
    if (large !== undefined) return large.owner === owner && !this.#isOver(large.keptAt, now) ? large : undefined;
    const page = this.#pages.get(Math.floor(number / PAGE_CALLS));
    const at = number % PAGE_CALLS;
    const text = page?.at(at);
    if (page === undefined || text === undefined) return undefined;
    if (page.owners[at] !== owner || this.#isOver(page.keptAt[at] as number, now)) return undefined;
    const [fingerprint, durationMs, checksum] = [page.fingerprints[at], page.durations[at], page.checksums[at]];
    return {
      owner,
      ending: { kind: 'returned', json: text.toString('utf8', fingerprint) },
      durationMs: durationMs as number,
      fingerprint: text.toString('utf8', 0, fingerprint),
      checksum: checksum as number,
    };
  }

  /** Frees what is no longer kept. */
  sweep(now: number): void {
    this.#pool.sweep();
    // All of them: a call that took long makes an old page as young as the latest.
    for (const [key, page] of this.#pages) if (this.#isOver(page.newestAt, now)) this.#drop(key, page);
    if (this.#pages.size === 0) this.#pool.clear();
    for (let { oldest } = this.#large; oldest !== undefined; { oldest } = this.#large) {
      if (!this.#isOver(oldest.keptAt, now)) return;
      this.#large.dropOldest();
    }
  }

  #keepLarge(number: number, call: KeptCall, now: number, identity: string): true {
    const bytes = CALL_BYTES + call.fingerprint.length + bytesOf(call.ending);
    this.#makeRoom(bytes);
    this.#large.add(number, { ...call, identity, keptAt: now, bytes });
    return true;
  }

  #isOver(keptAt: number, now: number): boolean {
    return now - keptAt > this.#lingerMs;
  }

  #pageFor(number: number, bytes: number): Page {
    const key = Math.floor(number / PAGE_CALLS);
    let page = this.#pages.get(key);
    if (page === undefined) {
      this.#makeRoom(BLOCK_BYTES);
      page = new Page(this.#pool);
      this.#pages.set(key, page);
      this.#pageBytes += BLOCK_BYTES;
    }
    if (page.used + bytes > BLOCK_BYTES) {
      // The next page makes room for this block: now it could only be at the cost of this page.
      page.grow();
      this.#pageBytes += BLOCK_BYTES;
    }
    return page;
  }

  /** Drops the oldest until there is room for so much more; the newest page stays, since results are written to it. */
  #makeRoom(bytes: number): void {
    while (this.bytes + bytes > this.#maxBytes) {
      const large = this.#large.oldest;
      const [oldest] = this.#pages.size > 1 ? this.#pages : [];
      if (oldest === undefined && large === undefined) return;
      if (oldest !== undefined && (large === undefined || oldest[1].newestAt <= large.keptAt)) this.#drop(...oldest);
      else this.#large.dropOldest();
    }
  }

  #drop(key: number, page: Page): void {
    this.#pages.delete(key);
    this.#pageBytes -= page.bytes;
    page.free();
  }
}
