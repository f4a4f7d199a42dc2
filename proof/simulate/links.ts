import { type Random, random } from '../random.ts';
import type { Life } from './life.ts';
import type { Timeline } from './timeline.ts';

/** What a node is connected to: the others, or the journal. */
export type Wire = 'bus' | 'journal';

/** What becomes of messages while a wire is cut: they are lost, or come late. */
export type CutMode = 'lose' | 'hold';

interface Cut {
  readonly until: number;
  readonly mode: CutMode;
}

const LATENCY_MS = 4;
const NOISE_MS = 400;
const NOISE_LOSS = 0.1;
// Most messages come soon, and now and then one takes much longer than others that were sent after it.
const STRAGGLERS = 0.05;
const STRAGGLER_MS = 60;

/** The network between the nodes and NATS: each message takes its own time, and some never arrive. */
export class Links {
  readonly #timeline: Timeline;
  readonly #seed: number;
  readonly #randoms = new Map<number, Random>();
  readonly #cuts = new Map<string, Cut>();
  #noisyUntil = 0;

  constructor(timeline: Timeline, seed: number) {
    this.#timeline = timeline;
    this.#seed = seed;
  }

  /** Cuts a wire of a node for some time. */
  cut(node: number, wire: Wire, { until, mode }: Cut): void {
    this.#cuts.set(`${node} ${wire}`, { until, mode });
  }

  /** Makes all wires slow, and lose messages, for some time. */
  disturb(until: number): void {
    this.#noisyUntil = Math.max(this.#noisyUntil, until);
  }

  /** Carries a message over a wire of a node, if it arrives at all; it happens to `to`, or to nobody's process. */
  carry(node: number, wire: Wire, { to, run }: { readonly to?: Life; readonly run: () => void }): void {
    const { now } = this.#timeline;
    const chance = this.#randomOf(node);
    const cut = this.#cuts.get(`${node} ${wire}`);
    const isCut = cut !== undefined && cut.until > now;
    const isNoisy = this.#noisyUntil > now;
    if ((isCut && cut.mode === 'lose') || (isNoisy && chance.chance(NOISE_LOSS))) return;
    const usual = chance.chance(STRAGGLERS) ? STRAGGLER_MS : LATENCY_MS;
    const delay = chance.next() * (isNoisy ? NOISE_MS : usual);
    this.#timeline.at((isCut ? cut.until : now) + delay, { life: to, run });
  }

  #randomOf(node: number): Random {
    let found = this.#randoms.get(node);
    if (found === undefined) {
      found = random(this.#seed * 31 + node + 1);
      this.#randoms.set(node, found);
    }
    return found;
  }
}
