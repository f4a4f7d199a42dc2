import type { LoadListener } from '../models/gate.ts';

/** How many episodes may be open at a time; it hears how the provider of the model takes it. */
export interface Concurrency extends LoadListener {
  readonly limit: number;
}

/** Always the same. */
export function fixedConcurrency(limit: number): Concurrency {
  return { limit, answered() {}, limited() {}, troubled() {} };
}

/** Between which bounds an adaptive limit moves. */
export interface AdaptiveBounds {
  readonly start: number;
  readonly most: number;
}

const DEFAULT_BOUNDS: AdaptiveBounds = { start: 16, most: 128 };
const SHRINK = 4 / 5;
// For how long trouble of the provider keeps the limit from growing.
const CALM_MS = 5_000;

/** `auto`: grows by one whenever as many answers as the limit came, shrinks by a fifth when the provider has enough. */
export class AdaptiveConcurrency implements Concurrency {
  readonly #most: number;
  #limit: number;
  #answers = 0;
  #shrunkAt = Number.NEGATIVE_INFINITY;
  #troubledAt = Number.NEGATIVE_INFINITY;

  constructor({ start, most }: AdaptiveBounds = DEFAULT_BOUNDS) {
    this.#limit = start;
    this.#most = most;
  }

  get limit(): number {
    return Math.floor(this.#limit);
  }

  answered(): void {
    if (performance.now() - this.#troubledAt < CALM_MS) return;
    this.#answers += 1;
    if (this.#answers < this.limit) return;
    this.#answers = 0;
    this.#limit = Math.min(this.#most, this.#limit + 1);
  }

  limited(sentAt: number): void {
    // Requests that were under way at the last shrinking complain about the limit of before.
    if (sentAt < this.#shrunkAt) return;
    this.#shrunkAt = performance.now();
    this.#answers = 0;
    this.#limit = Math.max(1, this.#limit * SHRINK);
  }

  troubled(): void {
    this.#troubledAt = performance.now();
  }
}
