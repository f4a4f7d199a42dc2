/** What is kept of a call. */
export interface KeptCall {
  readonly id: string;
  readonly phase: string;
  /** About how much memory its outcome takes; does not change once the call has ended. */
  readonly bytes: number;
  settledAt: number;
}

/** How long, and how much of them, ended calls are kept. */
export interface Keep {
  readonly lingerMs: number;
  readonly maxKeptBytes: number;
}

// Ids of clients that are remembered after their results are gone, so that a very late repeat does not run again.
const REMEMBERED_IDS = 10_000;

// What a call takes besides its outcome.
const CALL_BYTES = 512;

/** Calls by their id: the running ones, and the ended ones for as long as they are kept. */
export class Calls<Call extends KeptCall> {
  // Made when first needed: an idle session shall be small.
  #running: Map<string, Call> | undefined;
  // In the order in which they ended, so that the oldest are found first.
  #settled: Map<string, Call> | undefined;
  #forgotten: Set<string> | undefined;
  #keptBytes = 0;
  readonly #keep: Keep;
  readonly #isOurs: (id: string) => boolean;
  readonly #maxRemembered: number;

  /** `isOurs` tells ids that need not be remembered: no client can choose them. */
  constructor(keep: Keep, isOurs: (id: string) => boolean, maxRemembered: number = REMEMBERED_IDS) {
    this.#keep = keep;
    this.#isOurs = isOurs;
    this.#maxRemembered = maxRemembered;
  }

  get running(): Iterable<Call> {
    return this.#running?.values() ?? [];
  }

  get runningCount(): number {
    return this.#running?.size ?? 0;
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
    // By the call, not by its id alone: one that was refused may have the id of one that runs.
    return this.#running?.get(call.id) === call && this.#running.delete(call.id);
  }

  /** Keeps an ended call for clients that come back; older ones make room for it. */
  settled(call: Call, now: number): void {
    this.endRunning(call);
    call.settledAt = now;
    this.#settled ??= new Map();
    this.#settled.set(call.id, call);
    this.#keptBytes += CALL_BYTES + call.bytes;
    if (this.#keptBytes > this.#keep.maxKeptBytes) this.#makeRoom(this.#settled);
  }

  /** Drops a call that nobody was told about and that changed nothing. */
  drop(call: Call): void {
    this.endRunning(call);
    if (this.#settled?.get(call.id) === call) this.#free(this.#settled, call);
  }

  /** Frees the results whose time is over. */
  sweep(now: number): void {
    if (this.#settled === undefined) return;
    for (const call of this.#settled.values()) {
      if (!this.#isOver(call, now)) break;
      this.#forget(this.#settled, call);
    }
  }

  clear(): void {
    this.#running = undefined;
    this.#settled = undefined;
    this.#forgotten = undefined;
    this.#keptBytes = 0;
  }

  #isOver(call: Call, now: number): boolean {
    return call.phase === 'settled' && now - call.settledAt > this.#keep.lingerMs;
  }

  // The newest stays, whatever its size: its client may not have read it yet.
  #makeRoom(settled: Map<string, Call>): void {
    for (const call of settled.values()) {
      if (this.#keptBytes <= this.#keep.maxKeptBytes || settled.size === 1) return;
      this.#forget(settled, call);
    }
  }

  #forget(settled: Map<string, Call>, call: Call): void {
    this.#free(settled, call);
    if (!this.#isOurs(call.id)) this.#remember(call.id);
  }

  #free(settled: Map<string, Call>, call: Call): void {
    settled.delete(call.id);
    this.#keptBytes -= CALL_BYTES + call.bytes;
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
