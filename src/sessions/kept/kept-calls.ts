import { AgedMap } from './aged-map.ts';
import type { Keeper, KeptTotal } from './kept-total.ts';
import { RecentIds } from './recent-ids.ts';

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
  /** What they share with others. */
  readonly total?: KeptTotal;
}

/** Ids of clients that are remembered after their results are gone, so that a very late repeat does not run again. */
export interface UsedIds {
  has(id: string): boolean;
  add(id: string): void;
}

// Of one session.
const REMEMBERED_IDS = 10_000;

// What a call takes besides its outcome.
const CALL_BYTES = 512;

/** Calls by their id: the running ones, and the ended ones for as long as they are kept. */
export class Calls<Call extends KeptCall> implements Keeper {
  // Made when first needed: an idle session shall be small.
  #running: Map<string, Call> | undefined;
  // Those that ended first are the oldest.
  #settled: AgedMap<Call> | undefined;
  #forgotten: UsedIds | undefined;
  #keptBytes = 0;
  readonly #keep: Keep;
  readonly #isOurs: (id: string) => boolean;

  /** `isOurs` tells ids that need not be remembered: no client can choose them. */
  constructor(keep: Keep, isOurs: (id: string) => boolean, forgotten?: UsedIds) {
    this.#keep = keep;
    this.#isOurs = isOurs;
    this.#forgotten = forgotten;
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
    this.#settled ??= new AgedMap();
    this.#settled.set(call.id, call);
    this.#keptBytes += CALL_BYTES + call.bytes;
    if (this.#keptBytes > this.#keep.maxKeptBytes) this.#makeRoom(this.#settled);
    this.#keep.total?.add(this, call.id, CALL_BYTES + call.bytes);
  }

  isKept(id: string): boolean {
    return this.#settled?.has(id) === true;
  }

  release(id: string): void {
    const call = this.#settled?.get(id);
    if (this.#settled !== undefined && call !== undefined) this.#forget(this.#settled, call);
  }

  /** Drops a call that nobody was told about and that changed nothing. */
  drop(call: Call): void {
    this.endRunning(call);
    if (this.#settled?.get(call.id) === call) this.#free(this.#settled, call);
  }

  /** Frees the results whose time is over. */
  sweep(now: number): void {
    this.#forgetWhile((call) => this.#isOver(call, now));
  }

  clear(): void {
    this.#running = undefined;
    this.#settled = undefined;
    this.#forgotten = undefined;
    this.#keep.total?.free(this.#keptBytes);
    this.#keptBytes = 0;
  }

  #isOver(call: Call, now: number): boolean {
    return call.phase === 'settled' && now - call.settledAt > this.#keep.lingerMs;
  }

  // The newest stays, whatever its size: its client may not have read it yet.
  #makeRoom(settled: AgedMap<Call>): void {
    this.#forgetWhile(() => this.#keptBytes > this.#keep.maxKeptBytes && settled.size > 1);
  }

  /** Forgets calls from the oldest on, until one is not due. */
  #forgetWhile(isDue: (call: Call) => boolean): void {
    const settled = this.#settled;
    let oldest = settled?.oldest;
    while (settled !== undefined && oldest !== undefined && isDue(oldest.value)) {
      this.#forget(settled, oldest.value);
      oldest = settled.oldest;
    }
  }

  #forget(settled: AgedMap<Call>, call: Call): void {
    this.#free(settled, call);
    if (!this.#isOurs(call.id)) this.#remember(call.id);
  }

  #free(settled: AgedMap<Call>, call: Call): void {
    settled.delete(call.id);
    this.#keptBytes -= CALL_BYTES + call.bytes;
    this.#keep.total?.free(CALL_BYTES + call.bytes);
  }

  #remember(id: string): void {
    this.#forgotten ??= new RecentIds(REMEMBERED_IDS);
    this.#forgotten.add(id);
  }
}
