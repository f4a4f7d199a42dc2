/** The results of so many calls are kept, and freed, together. */
export const PAGE_CALLS = 1024;

// Room for results of the usual size; a page of larger ones grows.
const PAGE_BYTES = 64 * 1024;

// Each bit of memory outside the heap brings the next collection of the heap nearer, which costs more than all else about
// keeping results. So there is little that comes and goes: pages are cut from large slabs, of which the system only gives
// what is written to, and are used again.
const SLAB_PAGES = 96;

/** Results of calls with neighbouring numbers. */
export interface Page {
  bytes: Buffer;
  used: number;
  newestAt: number;
  readonly starts: Uint32Array;
  /** 0 where there is no result: JSON is never empty. */
  readonly lengths: Uint32Array;
  readonly sessions: Uint32Array;
  readonly keptAt: Float64Array;
}

const INDEX_BYTES = PAGE_CALLS * (3 * Uint32Array.BYTES_PER_ELEMENT + Float64Array.BYTES_PER_ELEMENT);

/** Gives out empty pages. */
export class PagePool {
  readonly #slabPages: number;
  #slab: ArrayBuffer | undefined;
  /** How many pages have been cut from the slab. */
  #cut = 0;
  #spare: Page[] = [];

  /** `maxBytes` is how much will be in use at the most, about. */
  constructor(maxBytes: number) {
    this.#slabPages = Math.max(1, Math.min(SLAB_PAGES, Math.floor(maxBytes / PAGE_BYTES)));
  }

  take(): Page {
    const page = this.#spare.pop();
    if (page === undefined) return this.#cutPage();
    page.used = 0;
    page.newestAt = 0;
    page.lengths.fill(0);
    return page;
  }

  giveBack(page: Page): void {
    this.#spare.push(page);
  }

  /** Frees the pages that nobody has needed since the last time. */
  sweep(): void {
    this.#spare = [];
  }

  /** Frees everything, when no page is in use. */
  clear(): void {
    this.#spare = [];
    this.#slab = undefined;
  }

  #cutPage(): Page {
    if (this.#slab === undefined || this.#cut === this.#slabPages) {
      // Of Buffer, because it does not write zeros all over it.
      this.#slab = Buffer.allocUnsafeSlow(this.#slabPages * (INDEX_BYTES + PAGE_BYTES)).buffer as ArrayBuffer;
      this.#cut = 0;
    }
    const slab = this.#slab;
    let at = this.#cut * (INDEX_BYTES + PAGE_BYTES);
    this.#cut += 1;
    const next = (bytes: number) => {
      at += bytes;
      return at - bytes;
    };
    const words = () => new Uint32Array(slab, next(PAGE_CALLS * Uint32Array.BYTES_PER_ELEMENT), PAGE_CALLS);
    return {
      keptAt: new Float64Array(slab, next(PAGE_CALLS * Float64Array.BYTES_PER_ELEMENT), PAGE_CALLS),
      starts: words(),
      lengths: words().fill(0),
      sessions: words(),
      bytes: Buffer.from(slab, next(PAGE_BYTES), PAGE_BYTES),
      used: 0,
      newestAt: 0,
    };
  }
}
