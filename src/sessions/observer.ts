import type { Outcome } from '../core/index.ts';
import type { SessionEnd } from './episode/outcome.ts';

/** The headers of a request that say to which trace it belongs. */
export type TraceHeaders = Readonly<Record<string, string>>;

/** What observers see of a session. */
export interface ObservedSession {
  readonly sid: string;
  /** Whose it is; empty where nobody is known. */
  readonly identity?: string;
  readonly environmentName: string;
  /** As performance.now() tells it. */
  readonly startedAt: number;
  readonly callCount: number;
  /** What ended it, once something has. */
  readonly end?: SessionEnd | undefined;
}

/** What came of a setup; cancelled: its session ended first. */
export type SetupResult = 'ready' | 'failed' | 'cancelled';

/** The tool of a call that names none of the catalog's: names that clients make up must not become labels. */
export const UNKNOWN_TOOL = '(unknown)';

/** What observers see of a call. */
export interface ObservedCall {
  /** ORS's `task_id`, OXP's `call_id`. */
  readonly callId: string;
  /** Who called a tool outside sessions; empty where nobody is known. A session's calls are its owner's. */
  readonly identity?: string;
  /** A name of the catalog, or UNKNOWN_TOOL. */
  readonly tool: string;
  readonly startedAt: number;
  readonly settledAt: number;
  /** Whether its tool was started: a call may end before its turn comes. */
  readonly hasRun: boolean;
}

/**
 * Hears what becomes of sessions and calls. It stands on the path of every call: its methods return at once, do not
 * throw, and get what is there already, so that who does not care pays nothing.
 */
export interface Observer {
  sessionStarted(session: ObservedSession, trace: TraceHeaders | undefined): void;
  /** Once, before the session ends, and only of sessions that have something to set up. */
  setupEnded(session: ObservedSession, result: SetupResult, durationMs: number): void;
  /** After its teardown. */
  sessionEnded(session: ObservedSession, outcome: Outcome): void;
  /** `session` is undefined for tools outside any. */
  callStarted(call: ObservedCall, session: ObservedSession | undefined, trace: TraceHeaders | undefined): void;
  /** Its turn has come. */
  callRunning(call: ObservedCall): void;
  /** Exactly once for each call that started. */
  callEnded(call: ObservedCall, outcome: Outcome, session: ObservedSession | undefined): void;
  /** Runs an author's code, a tool's or a session's setup; left out by observers that need not be around it. */
  within?: (<Value>(subject: ObservedCall | ObservedSession, run: () => Value) => Value) | undefined;
}

/** An observer that does nothing. */
export const unobserved: Observer = {
  sessionStarted() {},
  setupEnded() {},
  sessionEnded() {},
  callStarted() {},
  callRunning() {},
  callEnded() {},
};
