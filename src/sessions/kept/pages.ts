/** The results of so many calls are kept, and freed, together. */
export const PAGE_CALLS = 1024;

// Room for results of the usual size; a page of larger ones grows.
const PAGE_BYTES = 64 * 1024;

// Memory outside the heap that comes and goes brings the next collection of the heap nearer, which costs more than all
// else about keeping results. So pages are used again, and cut from large slabs, of which the system only gives what is
// written to.
const SLAB_PAGES = 96;

/** Small results of calls with neighbouring numbers. A field of an array belongs to the call at the same place. */
export interface Page {
  bytes: Buffer;
  used: number;
  newestAt: number;
  readonly starts: Uint32Array;
  /** 0 where there is no result: JSON is never empty. */
  readonly lengths: Uint32Array;
  readonly owners: Uint32Array;
  readonly durations: Uint32Array;
  readonly checksums: Uint32Array;
  /** How many of a result's bytes are its fingerprint, which comes first. */
  readonly fingerprints: Uint16Array;
  readonly keptAt: Float64Array;
}

const { BYTES_PER_ELEMENT: WORD } = Uint32Array;
const INDEX_BYTES = PAGE_CALLS * (Float64Array.BYTES_PER_ELEMENT + 5 * WORD + Uint16Array.BYTES_PER_ELEMENT);

/** Hands out empty pages. */
export class PagePool {
  readonly #slabPages: number;
  #slab: ArrayBuffer | undefined;
  /** How many pages have been cut from the slab. */
  #cut = 0;
  #spare: Page[] = [];

  /** `maxBytes` is about how much will be in use at the most. */
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
      // Of Buffer, because it does not fill it with zeros.
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
    const words = () => new Uint32Array(slab, next(PAGE_CALLS * WORD), PAGE_CALLS);
    // The widest first, so that each begins where its elements may.
    return {
      keptAt: new Float64Array(slab, next(PAGE_CALLS * Float64Array.BYTES_PER_ELEMENT), PAGE_CALLS),
      starts: words(),
      lengths: words().fill(0),
      owners: words(),
      durations: words(),
      checksums: words(),
      fingerprints: new Uint16Array(slab, next(PAGE_CALLS * Uint16Array.BYTES_PER_ELEMENT), PAGE_CALLS),
      bytes: Buffer.from(slab, next(PAGE_BYTES), PAGE_BYTES),
      used: 0,
      newestAt: 0,
    };
  }
}
