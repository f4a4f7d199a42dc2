/** A range of values, and how many fell into it. */
export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

const EVEN_BINS = 20;

/** Counts values in ranges of the same width. */
export class EvenBins {
  readonly #counts = new Array<number>(EVEN_BINS).fill(0);
  readonly #least: number;
  readonly #width: number;

  constructor(least: number, greatest: number) {
    // Where all values are the same, they are shown against 0 and 1, as rewards are.
    const isSame = least === greatest;
    this.#least = isSame ? Math.min(0, least) : least;
    this.#width = ((isSame ? Math.max(1, greatest) : greatest) - this.#least) / EVEN_BINS;
  }

  add(value: number): void {
    const place = Math.min(EVEN_BINS - 1, Math.max(0, Math.floor((value - this.#least) / this.#width)));
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
  }

  get bins(): Bin[] {
    const edge = (index: number) => this.#least + index * this.#width;
    return this.#counts.map((count, index) => ({ from: edge(index), to: edge(index + 1), count }));
  }
}

/** Counts values by powers of two, from 1. */
export class DoublingBins {
  readonly #counts: number[] = [];

  add(value: number): void {
    if (value <= 0) return;
    const place = Math.floor(Math.log2(Math.max(1, value)));
    this.#counts[place] = (this.#counts[place] ?? 0) + 1;
  }

  get bins(): Bin[] {
    const first = this.#counts.findIndex((count) => count > 0);
    if (first < 0) return [];
    return Array.from(this.#counts, (count = 0, place) => ({ from: 2 ** place, to: 2 ** (place + 1), count })).slice(
      first,
    );
  }
}
