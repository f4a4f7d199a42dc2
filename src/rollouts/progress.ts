import type { EpisodeLine } from './folder/episode-line.ts';
import type { RunState } from './run-state.ts';

/** A run while it goes on; read it whenever you like. */
export class Progress {
  readonly state: RunState;
  readonly startedAt: number = performance.now();
  /** Episodes that were settled before this process began. */
  readonly before: number;
  /** Attempts that ended in this process. */
  attempts = 0;
  /** Episodes that are being played. */
  active = 0;
  /** How many may be. */
  limit = 0;
  #tasks = 0;
  #sum = 0;
  #squares = 0;

  constructor(state: RunState) {
    this.state = state;
    this.before = state.done;
    for (const { valid, sum } of state.tasks.values()) if (valid > 0) this.#add(sum / valid, 1);
  }

  /** Adds an attempt that has ended. */
  ended(line: EpisodeLine): void {
    this.attempts += 1;
    const task = this.state.addEnded(line);
    if (task === undefined || line.reward === null) return;
    if (task.valid > 1) this.#add((task.sum - line.reward) / (task.valid - 1), -1);
    this.#add(task.sum / task.valid, 1);
  }

  /** The mean reward so far, and its standard error over tasks, without clusters; undefined while there is none. */
  get reward(): { readonly mean: number; readonly standardError: number | undefined } | undefined {
    const count = this.#tasks;
    if (count === 0) return undefined;
    const mean = this.#sum / count;
    if (count < 2) return { mean, standardError: undefined };
    const variance = Math.max(0, (this.#squares - count * mean * mean) / (count - 1));
    return { mean, standardError: Math.sqrt(variance / count) };
  }

  get elapsedMs(): number {
    return performance.now() - this.startedAt;
  }

  #add(value: number, sign: 1 | -1): void {
    this.#tasks += sign;
    this.#sum += sign * value;
    this.#squares += sign * value * value;
  }
}
