import { mostBytes } from '../../protocol/index.ts';
import type { SessionOptions } from '../options.ts';
import { PAGE_CALLS, type Page, PagePool } from './result-pages.ts';
import type { TaskIds } from './task-id.ts';

type RecentOptions = Pick<SessionOptions, 'lingerMs' | 'maxRecentBytes'>;

/** Larger results are few, and copying them would cost what keeping them saves. */
export const MAX_RECENT_CHARACTERS = 4_096;

/** A result that is kept for a client that reconnects. */
export interface RecentResult {
  /** The number of its task id. */
  readonly number: number;
  /** The number of the session it belongs to. */
  readonly session: number;
  readonly json: string;
}

/**
 * Small results of calls that ended at once, of all sessions, by the number in their id. Nearly all results are such, and
 * almost none is ever asked for again: as bytes outside the heap, a minute of them costs the garbage collector nothing,
 * where as objects they were the dearest part of a call.
 */
export class RecentResults {
  readonly #pages = new Map<number, Page>();
  readonly #pool: PagePool;
  readonly #ids: TaskIds;
  readonly #lingerMs: number;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(ids: TaskIds, { lingerMs, maxRecentBytes }: RecentOptions) {
    this.#ids = ids;
    this.#lingerMs = lingerMs;
    this.#maxBytes = maxRecentBytes;
    this.#pool = new PagePool(maxRecentBytes);
  }

  keep({ number, session, json }: RecentResult, now: number): void {
    const page = this.#pageFor(number, mostBytes(json));
    const at = number % PAGE_CALLS;
    page.starts[at] = page.used;
    page.lengths[at] = page.bytes.write(json, page.used);
    page.used += page.lengths[at] as number;
    page.sessions[at] = session;
    page.keptAt[at] = now;
    page.newestAt = now;
  }

  /** The result of a session's call, while it is kept. */
  find(taskId: string, session: number, now: number): string | undefined {
    const number = this.#ids.numberOf(taskId);
    const page = number === undefined ? undefined : this.#pages.get(Math.floor(number / PAGE_CALLS));
    if (number === undefined || page === undefined) return undefined;
    const at = number % PAGE_CALLS;
    const length = page.lengths[at] as number;
    const isOver = now - (page.keptAt[at] as number) > this.#lingerMs;
    if (length === 0 || page.sessions[at] !== session || isOver) return undefined;
    const start = page.starts[at] as number;
    return page.bytes.toString('utf8', start, start + length);
  }

  /** Frees the pages whose time is over. */
  sweep(now: number): void {
    this.#pool.sweep();
    for (const [key, page] of this.#pages) {
      if (now - page.newestAt <= this.#lingerMs) break;
      this.#drop(key, page);
    }
    if (this.#pages.size === 0) this.#pool.clear();
  }

  #pageFor(number: number, bytes: number): Page {
    const key = Math.floor(number / PAGE_CALLS);
    let page = this.#pages.get(key);
    if (page === undefined) {
      page = this.#pool.take();
      this.#pages.set(key, page);
      this.#bytes += page.bytes.length;
      this.#makeRoom();
    }
    if (page.used + bytes > page.bytes.length) this.#grow(page, page.used + bytes);
    return page;
  }

  #grow(page: Page, atLeast: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(page.bytes.length * 2, atLeast));
    page.bytes.copy(larger, 0, 0, page.used);
    this.#bytes += larger.length - page.bytes.length;
    page.bytes = larger;
  }

  // The oldest go first; the newest page stays, whatever its size.
  #makeRoom(): void {
    for (const [key, page] of this.#pages) {
      if (this.#bytes <= this.#maxBytes || this.#pages.size === 1) return;
      this.#drop(key, page);
    }
  }

  #drop(key: number, page: Page): void {
    this.#pages.delete(key);
    this.#bytes -= page.bytes.length;
    this.#pool.giveBack(page);
  }
}
