import type { Failure, Secrets } from '../core/index.ts';
import type { CallEnding } from './call-ending.ts';
import type { SessionEnd } from './episode/outcome.ts';
import type { EpisodeStart, OpenEpisode } from './episode/runtime.ts';
import type { CreateRequest, Recovered, SessionRef, TaskChoice } from './host.ts';
import type { SessionMemory } from './memory/session-memory.ts';

/**
 * Keeps episodes for after the process that runs them. A host without one is not concerned: nothing of it is loaded.
 */
export interface EpisodeKeeper {
  /** Why nothing new may begin now; undefined if it may. */
  readonly refusal: Failure | undefined;
  /** Opens the episode of a new session; resolves when it is known to be kept. */
  open(ref: SessionRef, request: CreateRequest, start: EpisodeStart, memory: SessionMemory): Promise<KeptEpisode>;
  /** Takes over what an earlier server has left. */
  recover(places: RecoveryPlaces, onProgress?: (done: number, all: number) => void): Promise<Recovered>;
  /** Reads a session of an earlier server; its episode is built when it begins. */
  recall(ref: SessionRef, session: number, lastSeq: number, memory: SessionMemory): RecalledSession;
  /** Notes and tells the end of a session that nobody has asked for since; `session` is its number. */
  endDormant(ref: SessionRef, session: number, end: SessionEnd): Promise<void>;
  /** Forgets a session that has ended, by its key. */
  forget(key: string): void;
}

/** An episode, and what is kept of its session. */
export interface KeptEpisode {
  readonly episode: OpenEpisode;
  /** Undefined where nothing is. */
  readonly keeping: Keeping | undefined;
}

/** What is kept of one session, apart from what happens in its episode. */
export interface Keeping {
  /** Whether it goes on when the server starts again. */
  readonly survivesServer: boolean;
  /** Whether a client asks for just this session. */
  isFor(request: CreateRequest): boolean;
  /** Notes that somebody used the session at this time, in ms since 1970, unless something was noted shortly before. */
  touch(at: number): void;
  /** Notes that the session has ended; `why` it was lost. False if another server has it now: then its end is not for this one to tell. */
  end(end: SessionEnd, why: string | undefined): Promise<boolean>;
  /** Ends it only here: what is written of it is for the server that goes on with it. */
  leave(): Promise<void>;
  /** Leaves nothing of a session that has never begun. */
  drop(): Promise<void>;
}

/** A session of an earlier server. */
export interface RecalledSession extends KeptEpisode {
  /** When it began, in ms since 1970. */
  readonly createdAt: number;
  readonly choice: TaskChoice;
  readonly seed: number;
  readonly secrets: Secrets;
  /** About how much memory its task and its secrets take. */
  readonly bytes: number;
  readonly ended: readonly RecalledCall[];
  /** Calls that may have run, and may run again, because that changes nothing more. */
  readonly unfinished: readonly UnfinishedCall[];
}

/** A call that was lost with its server. */
export interface UnfinishedCall {
  readonly id: string;
  readonly tool: string;
  readonly input: object;
  readonly attempt: number;
}

/** A call that has ended. */
export interface RecalledCall extends Omit<UnfinishedCall, 'attempt'> {
  /** As it was told. */
  readonly ending: CallEnding;
  readonly durationMs: number;
  readonly reward: number | null;
  readonly finished: boolean;
}

/** Where sessions of an earlier server go. */
export interface RecoveryPlaces {
  /** One that goes on when somebody asks for it. */
  adopt(ref: SessionRef, lastSeq: number, lastActive: number): void;
  /** One that has ended. */
  bury(ref: SessionRef, ended: EndedSession): void;
  /** A number for one that is told of once more. */
  number(): number;
}

/** What is left of a session that has ended. */
export interface EndedSession {
  readonly end: SessionEnd;
  readonly why: string | undefined;
  readonly until: number;
  /** Reads the calls of one that was lost; undefined for others. */
  readonly calls: (() => readonly RecalledCall[]) | undefined;
}
