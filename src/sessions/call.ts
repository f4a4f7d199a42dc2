import { randomBytes } from 'node:crypto';
import type { CallOutcome } from '../core/index.ts';
import { SERVER_TASK_ID } from '../protocol/index.ts';
import { outcomeOf, type RunEnding } from './call-ending.ts';
import { type CallFacts, type Observer, type TraceHeaders, toEpoch } from './events.ts';
import type { CallEvent, CallListener } from './host.ts';

/** What is returned for a call that is over already: nobody can leave it. */
export const NOTHING_TO_LEAVE = (): void => {};

/** Arriving: it may still be refused. Accepted: it runs or waits for its turn. Settled: its ending is there. */
export type CallPhase = 'arriving' | 'accepted' | 'settled';

/** Hears how a run of a tool goes on: from the author's half, in this process or another. */
export interface RunListener {
  /** Its input is right, and it will run. */
  accepted(): void;
  /** Its turn has come. */
  running(): void;
  /** Exactly once, also if nothing came before. */
  ended(ending: RunEnding): void;
  /** Its process has ended, and it is about to be run once more, as this attempt; it waits for what is returned. */
  repeating?(attempt: number): Promise<void>;
}

/** Whose call it is: a session, or a toolbox. */
export interface CallOwner {
  readonly observer: Observer;
  callEnded(call: Call, ending: RunEnding): void;
}

/** One call of a tool, from its arrival until it has ended; after that only its ending is kept. */
export class Call implements RunListener {
  readonly facts: CallFacts;
  readonly startedAt: number;
  /** When its tool was started; 0 if it was not. */
  ranAt = 0;
  phase: CallPhase = 'arriving';
  /** Whether a client was told its id, and may come back with it. */
  announced = false;
  #isPending = false;
  readonly #owner: CallOwner;
  // Nearly all calls have one listener; the others are those of clients that came back.
  #listener: CallListener | undefined;
  #others: Set<CallListener> | undefined;

  constructor(owner: CallOwner, facts: CallFacts, startedAt: number, listener: CallListener) {
    this.#owner = owner;
    this.facts = facts;
    this.startedAt = startedAt;
    this.#listener = listener;
  }

  /** Tells that it has come. */
  arrived(trace: TraceHeaders | undefined): void {
    this.#owner.observer.on({ type: 'call_started', at: toEpoch(this.startedAt), call: this.facts, trace });
  }

  /** Lets another client wait for its end. */
  attach(listener: CallListener): () => void {
    this.#others ??= new Set();
    this.#others.add(listener);
    if (this.announced) listener({ kind: 'accepted', taskId: this.facts.id });
    return () => this.#others?.delete(listener);
  }

  /** Tells its first client no more. */
  detach(): void {
    this.#listener = undefined;
  }

  accepted(): void {
    if (this.phase === 'arriving') this.phase = 'accepted';
    if (this.#isPending) this.announce();
  }

  running(): void {
    this.ranAt = performance.now();
    this.#owner.observer.on({ type: 'call_running', at: toEpoch(this.ranAt), call: this.facts });
  }

  ended(ending: RunEnding): void {
    if (this.phase !== 'settled') this.#owner.callEnded(this, ending);
  }

  /** Notes that it has not ended at once, unlike most calls: from now on its clients hear that it is accepted. */
  pend(): void {
    this.#isPending = true;
    if (this.phase === 'accepted') this.announce();
  }

  /** Tells its clients the id under which they can come back. */
  announce(): void {
    if (this.announced || this.phase === 'settled') return;
    this.announced = true;
    this.#tell({ kind: 'accepted', taskId: this.facts.id });
  }

  /** Tells its clients how it ended, and how long that took, and then its observers. */
  settle(ending: RunEnding, toldMs: number, now: number): CallOutcome {
    this.phase = 'settled';
    const { facts: call, startedAt, ranAt } = this;
    this.#tell({ kind: 'settled', taskId: call.id, ending, durationMs: toldMs, isNews: true });
    const outcome = ending.kind === 'returned' ? 'returned' : outcomeOf(ending);
    const { reward = null, finished = false } = ending;
    const [at, durationMs, ran] = [toEpoch(now), now - startedAt, ranAt > 0];
    this.#owner.observer.on({ type: 'call_ended', at, call, outcome, durationMs, ran, reward, finished });
    return outcome;
  }

  #tell(event: CallEvent): void {
    this.#listener?.(event);
    if (this.#others === undefined) return;
    for (const listener of [...this.#others]) listener(event);
  }
}

const HALF = 16;

/** Numbers calls, and makes ids of 32 hex characters out of the numbers: unique here and, by their random half, elsewhere. */
export class CallIds {
  readonly #prefix = randomBytes(HALF / 2).toString('hex');
  #count = 0;
  /** All but the last four digits of an id, which are the same for 65,536 ids in a row. */
  #head = '';
  #headOf = -1;

  /** The number of the next call. */
  next(): number {
    this.#count += 1;
    return this.#count - 1;
  }

  /** The id of a call for which the client chose none. */
  toId(number: number): string {
    const low = number & 0xffff;
    const high = (number - low) / 0x10000;
    if (high !== this.#headOf) {
      this.#headOf = high;
      this.#head = this.#prefix + high.toString(16).padStart(HALF - 4, '0');
    }
    return this.#head + BYTES[low >> 8] + BYTES[low & 0xff];
  }

  /** The number of an id; undefined if the id was not made here. */
  numberOf(id: string): number | undefined {
    if (!id.startsWith(this.#prefix) || !isServerMade(id)) return undefined;
    const number = Number.parseInt(id.slice(HALF), 16);
    return number < this.#count ? number : undefined;
  }
}

const BYTES: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Whether an id has the form of those that servers make, so that it was not a client's choice. */
export function isServerMade(id: string): boolean {
  return id.length === 2 * HALF && SERVER_TASK_ID.test(id);
}
