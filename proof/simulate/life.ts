import type { Random } from '../random.ts';
import type { Happening, Timeline } from './timeline.ts';

// Turns of a process take a moment, so that it can end between two of them.
const MAX_TURN_MS = 0.3;

/** A process, from its start to its end. While it is paused, nothing happens to it; afterwards everything does that should have. */
export class Life {
  /** Which node it is, from 0. */
  readonly node: number;
  readonly id: string;
  state: 'running' | 'paused' | 'dead' = 'running';
  /** Whether it ended in good order. */
  hasStopped = false;
  readonly timeline: Timeline;
  readonly #random: Random;
  readonly #onDeath = new Set<() => void>();
  #held: Happening[] = [];
  #lastTurn = 0;

  constructor(timeline: Timeline, node: number, id: string, random: Random) {
    this.timeline = timeline;
    this.node = node;
    this.id = id;
    this.#random = random;
  }

  /** Calls back after this time, as its timers do; the returned function calls it off. */
  after(ms: number, run: () => void): () => void {
    return this.timeline.at(this.timeline.now + ms, { life: this, isTimer: true, run });
  }

  /** Calls back in its next turn. */
  soon(run: () => void): () => void {
    const { now } = this.timeline;
    this.#lastTurn = Math.max(this.#lastTurn, now) + this.#random.next() * MAX_TURN_MS;
    return this.timeline.at(this.#lastTurn, { life: this, run });
  }

  pause(): void {
    if (this.state === 'running') this.state = 'paused';
  }

  /** Goes on; timers are seen first, as an event loop does it, or in the order of their time. */
  resume(): void {
    if (this.state !== 'paused') return;
    this.state = 'running';
    const held = this.#held;
    this.#held = [];
    if (this.#random.chance(0.5)) held.sort((one, other) => Number(other.isTimer) - Number(one.isTimer));
    for (const happening of held) this.timeline.again(happening);
  }

  /** Keeps for later what happens to it while it is paused. */
  hold(happening: Happening): void {
    this.#held.push(happening);
  }

  /** Ends it, at once. */
  end(): void {
    if (this.state === 'dead') return;
    this.state = 'dead';
    this.#held = [];
    for (const tell of [...this.#onDeath]) tell();
  }

  /** Calls back when it ends; the returned function calls it off. */
  onDeath(tell: () => void): () => void {
    this.#onDeath.add(tell);
    return () => void this.#onDeath.delete(tell);
  }
}
