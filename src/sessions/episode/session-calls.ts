import { type CallOutcome, FewMap } from '../../core/index.ts';
import { UNKNOWN_TASK_ID } from '../../protocol/index.ts';
import { Call, isServerMade } from '../call.ts';
import { outcomeOf, type RunEnding, refused } from '../call-ending.ts';
import type { CallRequest } from '../host.ts';
import type { RecalledCall } from '../keeper.ts';
import { checksumOf } from '../kept/checksum.ts';
import type { KeptCall, KeptResults } from '../kept/kept-results.ts';
import { UsedIds } from '../kept/used-ids.ts';
import type { SessionMemory } from '../memory/session-memory.ts';
import type { SessionRules } from '../options.ts';

/** How a call ended that is over, or that is not started. */
export type EndedCall = Pick<KeptCall, 'ending' | 'durationMs' | 'checksum'>;

/** A call of a session. */
export class SessionCall extends Call {
  /** What its client asked for, with an id of the client's own or without. */
  request: Pick<CallRequest, 'taskId' | 'attempt' | 'keepRefusal' | 'bytes'> = NOTHING;
  /** The same in short, to tell it from another that comes with its id. */
  checksum = 0;
}

const NOTHING = {};

/** A call that runs, or how one ended. */
export type KnownCall = SessionCall | EndedCall;

// Of one session. They are remembered after their results are gone, so that a very late repeat does not run again.
const REMEMBERED_IDS = 10_000;

// Of results that are freed with their session; the rest go in time.
const MAX_LARGE = 256;

/** Whose calls they are. */
export interface CallingSession {
  /** Results belong to it. */
  readonly number: number;
  readonly identity: string;
  readonly memory: SessionMemory;
}

/** The calls of one session: those that run, and how the others ended, for clients that come back. */
export class SessionCalls {
  readonly #session: CallingSession;
  readonly #kept: KeptResults;
  readonly #clientTaskIds: SessionRules['clientTaskIds'];
  // Made when first needed: an idle session shall be small.
  #running: FewMap<string, SessionCall> | undefined;
  /** The ids that clients chose for calls that have ended, with the numbers of the calls. */
  #used: UsedIds | undefined;
  /** The calls whose results take room on the heap. */
  #large: number[] | undefined;
  #inputBytes = 0;
  /** How many there were. */
  count = 0;
  /** The sum of what they paid; null if none did. */
  reward: number | null = null;
  /** Whether one of them said that the episode is over. */
  hasFinished = false;
  /** How the last one ended, before the session did. */
  lastOutcome: CallOutcome | undefined;
  /** Whether an id came again with another question. */
  hasReusedIds = false;
  #isRecalled = false;

  constructor(session: CallingSession, kept: KeptResults, { clientTaskIds }: SessionRules) {
    this.#session = session;
    this.#kept = kept;
    this.#clientTaskIds = clientTaskIds;
  }

  get running(): readonly SessionCall[] {
    return this.#running?.values() ?? [];
  }

  get runningCount(): number {
    return this.#running?.size ?? 0;
  }

  /** What the inputs of those that run take. */
  get inputBytes(): number {
    return this.#inputBytes;
  }

  /**
   * The call of this id, if there is or was one. An id that was used before, or cannot be a client's, is refused, unless another server made
   * it for this session.
   */
  known(id: string, now: number, isServersId: boolean | undefined): KnownCall | undefined {
    const running = this.#running?.get(id);
    if (running !== undefined) return running;
    const number = this.#used?.find(id) ?? this.#kept.ids.numberOf(id);
    if (number !== undefined) return this.#kept.find(number, this.#session.number, now) ?? UNKNOWN;
    // An id that an earlier server made is of a call that was lost with it: it is run now.
    if (isServerMade(id)) return this.#isRecalled || isServersId === true ? undefined : UNKNOWN;
    return this.#clientTaskIds === 'start' ? undefined : UNKNOWN;
  }

  /** What was told of a call, while that is kept; undefined also for ids that nobody knows. */
  toldOf(id: string, now: number): EndedCall | undefined {
    const number = this.#used?.find(id) ?? this.#kept.ids.numberOf(id);
    return number === undefined ? undefined : this.#kept.find(number, this.#session.number, now);
  }

  /** Notes a call that did not end at once. */
  enter(call: SessionCall): void {
    const { bytes = 0 } = call.request;
    this.#inputBytes += bytes;
    this.#session.memory.take(bytes);
    this.#running ??= new FewMap();
    this.#running.set(call.facts.id, call);
  }

  /** Notes that a call has ended, and keeps how. */
  leave({ facts, startedAt, request, checksum, announced }: SessionCall, ending: RunEnding, now: number): void {
    if (this.#running?.delete(facts.id)) this.#giveBack(request);
    const { reward = null, finished = false } = ending;
    if (reward !== null) this.reward = (this.reward ?? 0) + reward;
    this.hasFinished ||= finished;
    // Nothing of a refused call has run, and its id is free for another attempt, unless a client may come back for it.
    if (ending.kind === 'refused' && !announced && !request.keepRefusal) return;
    this.#keep(facts.number, { ending, durationMs: now - startedAt, checksum }, now);
    // Ids of the server's own making say which call they are of.
    if (request.taskId === undefined) return;
    this.#used ??= new UsedIds(REMEMBERED_IDS);
    this.#used.add(facts.id, facts.number);
  }

  /** Takes over calls that ended at an earlier server. */
  recall(ended: readonly RecalledCall[], now: number): void {
    this.#isRecalled = true;
    this.#used ??= new UsedIds(REMEMBERED_IDS);
    for (const { id, tool, input, ending, durationMs, reward, finished } of ended) {
      this.count += 1;
      this.lastOutcome = outcomeOf(ending);
      if (reward !== null) this.reward = (this.reward ?? 0) + reward;
      this.hasFinished ||= finished;
      const number = this.#kept.ids.next();
      this.#used.add(id, number);
      this.#keep(number, { ending, durationMs, checksum: checksumOf(tool, input) }, now);
    }
  }

  /** Frees what nobody can ask for when the session has ended. */
  clear(): void {
    for (const number of this.#large ?? []) this.#kept.drop(number);
  }

  #keep(number: number, { ending, durationMs, checksum }: Required<EndedCall>, now: number): void {
    const { number: owner, identity } = this.#session;
    const isLarge = this.#kept.keep(number, { owner, ending, durationMs, fingerprint: '', checksum }, now, identity);
    if (isLarge) this.#noteLarge(number);
  }

  #giveBack({ bytes = 0 }: SessionCall['request']): void {
    this.#inputBytes -= bytes;
    this.#session.memory.giveBack(bytes);
  }

  #noteLarge(number: number): void {
    this.#large ??= [];
    this.#large.push(number);
    if (this.#large.length > MAX_LARGE) this.#large.shift();
  }
}

const UNKNOWN: EndedCall = {
  ending: refused({ code: 'unknown_task_id', message: UNKNOWN_TASK_ID }),
  durationMs: 0,
};
