/** Remembers for a while, and for so many, which sessions there were. */
export class Tombstones {
  // In the order they were set, so that the oldest are found first.
  readonly #until = new Map<string, number>();
  readonly #keepMs: number;
  readonly #max: number;

  constructor(keepMs: number, max: number) {
    this.#keepMs = keepMs;
    this.#max = max;
  }

  set(key: string, now: number): void {
    this.#until.delete(key);
    this.#until.set(key, now + this.#keepMs);
    this.sweep(now);
  }

  has(key: string, now: number): boolean {
    const until = this.#until.get(key);
    return until !== undefined && until > now;
  }

  clear(key: string): void {
    this.#until.delete(key);
  }

  sweep(now: number): void {
    for (const [key, until] of this.#until) {
      if (until > now && this.#until.size <= this.#max) return;
      this.#until.delete(key);
    }
  }
}
