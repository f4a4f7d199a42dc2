import type { SessionEnd } from './episode/outcome.ts';
import { AgedMap } from './kept/aged-map.ts';

/** Remembers for a while, and for so many, which sessions there were, and what ended them. */
export class Tombstones {
  readonly #ended = new AgedMap<{ readonly until: number; readonly end: SessionEnd }>();
  readonly #keepMs: number;
  readonly #max: number;

  constructor(keepMs: number, max: number) {
    this.#keepMs = keepMs;
    this.#max = max;
  }

  set(key: string, now: number, end: SessionEnd): void {
    this.#ended.set(key, { until: now + this.#keepMs, end });
    this.sweep(now);
  }

  /** What ended the session, while that is remembered. */
  find(key: string, now: number): SessionEnd | undefined {
    const ended = this.#ended.get(key);
    return ended !== undefined && ended.until > now ? ended.end : undefined;
  }

  clear(key: string): void {
    this.#ended.delete(key);
  }

  sweep(now: number): void {
    for (let oldest = this.#ended.oldest; oldest !== undefined; oldest = this.#ended.oldest) {
      if (oldest.value.until > now && this.#ended.size <= this.#max) return;
      this.#ended.delete(oldest.key);
    }
  }
}
