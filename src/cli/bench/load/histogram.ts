// Each doubling of the value is cut into so many buckets, so that a bucket is never wider than 1/128 of its values.
const BUCKETS_BITS = 7;
const BUCKETS = 1 << BUCKETS_BITS;

/** The greatest value that is told apart from greater ones: 71 minutes, in microseconds. */
export const MAX_MICROS: number = 2 ** 32 - 1;

/** A bucket that is not empty: values from `fromMicros` up to, but not including, `toMicros`. */
export interface Bucket {
  readonly fromMicros: number;
  readonly toMicros: number;
  readonly count: number;
}

/**
 * Counts latencies in buckets whose width grows with the value: any number of them takes the same 27 KB, and a
 * percentile is wrong by less than 1/128 of itself. Below 256 us values are exact to the microsecond.
 */
export class Histogram {
  readonly #counts = new Float64Array(indexOf(MAX_MICROS) + 1);
  #count = 0;
  #sumMicros = 0;
  #minMicros = Number.POSITIVE_INFINITY;
  #maxMicros = 0;

  get count(): number {
    return this.#count;
  }

  get meanMicros(): number {
    return this.#count === 0 ? 0 : this.#sumMicros / this.#count;
  }

  get minMicros(): number {
    return this.#count === 0 ? 0 : this.#minMicros;
  }

  get maxMicros(): number {
    return this.#maxMicros;
  }

  record(ms: number): void {
    const micros = Math.min(MAX_MICROS, Math.max(0, Math.round(ms * 1000)));
    const index = indexOf(micros);
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#count += 1;
    this.#sumMicros += micros;
    if (micros < this.#minMicros) this.#minMicros = micros;
    if (micros > this.#maxMicros) this.#maxMicros = micros;
  }

  /** Adds what another one has counted. */
  add(other: Histogram): void {
    for (const [index, count] of other.#counts.entries()) {
      if (count > 0) this.#counts[index] = (this.#counts[index] ?? 0) + count;
    }
    this.#count += other.#count;
    this.#sumMicros += other.#sumMicros;
    this.#minMicros = Math.min(this.#minMicros, other.#minMicros);
    this.#maxMicros = Math.max(this.#maxMicros, other.#maxMicros);
  }

  /** The value that this share (0 to 1) of all values does not exceed; 0 when there are none. */
  percentileMicros(share: number): number {
    const wanted = Math.max(1, Math.ceil(this.#count * share));
    let seen = 0;
    for (const [index, count] of this.#counts.entries()) {
      seen += count;
      // The last value of the bucket, and never one that was not there.
      if (seen >= wanted) return Math.max(this.#minMicros, Math.min(this.#maxMicros, startOf(index + 1) - 1));
    }
    return 0;
  }

  /** What was counted, bucket by bucket, from the least value. */
  *buckets(): Generator<Bucket, void, undefined> {
    for (const [index, count] of this.#counts.entries()) {
      if (count > 0) yield { fromMicros: startOf(index), toMicros: startOf(index + 1), count };
    }
  }
}

function indexOf(micros: number): number {
  const doublings = 31 - Math.clz32(micros) - BUCKETS_BITS;
  return doublings <= 0 ? micros : doublings * BUCKETS + (micros >>> doublings);
}

function startOf(index: number): number {
  const doublings = Math.floor(index / BUCKETS) - 1;
  return doublings <= 0 ? index : (index - doublings * BUCKETS) * 2 ** doublings;
}
