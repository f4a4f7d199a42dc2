/** What is kept of a call. */
export interface KeptCall {
  readonly id: string;
  readonly phase: string;
  settledAt: number;
}

// Ids of clients that are remembered after their results are gone, so that a very late repeat does not run again.
const REMEMBERED_IDS = 10_000;

/** Calls by their id: the running ones, and the ended ones for as long as they are kept. */
export class Calls<Call extends KeptCall> {
  // Made when first needed: an idle session shall be small.
  #running: Map<string, Call> | undefined;
  // In the order in which they ended, so that the oldest are found first.
  #settled: Map<string, Call> | undefined;
  #forgotten: Set<string> | undefined;
  readonly #lingerMs: number;
  readonly #maxRemembered: number;

  constructor(lingerMs: number, maxRemembered: number = REMEMBERED_IDS) {
    this.#lingerMs = lingerMs;
    this.#maxRemembered = maxRemembered;
  }

  get running(): Iterable<Call> {
    return this.#running?.values() ?? [];
  }

  get hasRunning(): boolean {
    return this.#running !== undefined && this.#running.size > 0;
  }

  find(id: string, now: number): Call | undefined {
    const call = this.#running?.get(id) ?? this.#settled?.get(id);
    return call === undefined || this.#isOver(call, now) ? undefined : call;
  }

  /** Whether a client has used this id before, so that it cannot start a new call. */
  hasSeen(id: string): boolean {
    return this.#settled?.has(id) === true || this.#forgotten?.has(id) === true;
  }

  add(call: Call): void {
    this.#running ??= new Map();
    this.#running.set(call.id, call);
  }

  /** Whether the call was among the running ones, and is no longer. */
  endRunning(call: Call): boolean {
    return this.#running?.delete(call.id) === true;
  }

  /** Keeps an ended call for clients that come back. */
  settled(call: Call, now: number): void {
    this.endRunning(call);
    call.settledAt = now;
    this.#settled ??= new Map();
    this.#settled.set(call.id, call);
  }

  /** Drops a call that nobody was told about and that changed nothing. */
  drop(call: Call): void {
    this.#running?.delete(call.id);
    this.#settled?.delete(call.id);
  }

  /** Frees the results whose time is over; `isOurs` tells ids that need not be remembered. */
  sweep(now: number, isOurs: (id: string) => boolean): void {
    if (this.#settled === undefined) return;
    for (const [id, call] of this.#settled) {
      if (!this.#isOver(call, now)) break;
      this.#settled.delete(id);
      if (!isOurs(id)) this.#remember(id);
    }
  }

  clear(): void {
    this.#running = undefined;
    this.#settled = undefined;
    this.#forgotten = undefined;
  }

  #isOver(call: Call, now: number): boolean {
    return call.phase === 'settled' && now - call.settledAt > this.#lingerMs;
  }

  #remember(id: string): void {
    this.#forgotten ??= new Set();
    this.#forgotten.add(id);
    if (this.#forgotten.size <= this.#maxRemembered) return;
    for (const oldest of this.#forgotten) {
      this.#forgotten.delete(oldest);
      break;
    }
  }
}
