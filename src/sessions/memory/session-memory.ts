import type { Failure } from '../../core/index.ts';
import type { MemoryBudget } from './memory-budget.ts';

// What a session takes with nothing in it.
const SESSION_BYTES = 1_024;

/** What a session takes for a task and secrets of so many bytes: twice as much if there is a character beyond Latin in them. */
export function sessionBytes(bytes: number): number {
  return SESSION_BYTES + 2 * bytes;
}

/** What one session holds of the memory of its identity: its own, and that of its running calls. */
export class SessionMemory {
  readonly #budget: MemoryBudget;
  readonly #identity: string;
  #bytes = 0;

  constructor(budget: MemoryBudget, identity: string) {
    this.#budget = budget;
    this.#identity = identity;
  }

  /** Takes what the session needs for a task and secrets of so many bytes; or says why it cannot be had. */
  begin(bytes: number): Failure | undefined {
    const needed = sessionBytes(bytes);
    const refusal = this.#budget.take(this.#identity, needed, 'long');
    if (refusal === undefined) this.#bytes = needed;
    return refusal;
  }

  /** Takes so much more, or gives so much back, until the session ends. */
  grow(bytes: number): void {
    this.#bytes += bytes;
    this.#budget.add(this.#identity, bytes);
  }

  /** Takes memory for the input of a call, which is there already. */
  take(bytes: number): void {
    this.#budget.add(this.#identity, bytes);
  }

  giveBack(bytes: number): void {
    this.#budget.giveBack(this.#identity, bytes);
  }

  /** Gives back what the session itself has taken; once, however often it is asked. */
  end(): void {
    this.giveBack(this.#bytes);
    this.#bytes = 0;
  }
}
