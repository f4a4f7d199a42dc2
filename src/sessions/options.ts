import { type Log, silent } from '../core/index.ts';
import { type Observer, unobserved } from './observer.ts';

/** How sessions behave; every host takes the same. */
export interface SessionOptions {
  /** A session without requests for this long is ended. */
  idleMs: number;
  /** How long a call's result is kept for clients that reconnect. */
  lingerMs: number;
  /** The most memory for small results that are kept, of all sessions together; the oldest are given up first. */
  maxRecentBytes: number;
  /** How long a running call or setup may take to end after its signal was aborted, before teardown runs regardless. */
  graceMs: number;
  /** How long a teardown may take before it is given up. */
  teardownMs: number;
  /** The most sessions at a time. */
  maxSessions: number;
  /** For how long, and for how many sessions, the server remembers that they ended (410 rather than 404). */
  tombstoneMs: number;
  maxTombstones: number;
  /** Whether tools still run after an episode has finished. */
  callsAfterFinish: 'refuse' | 'allow';
  /** Whether an unknown task_id of a client's own making starts a call under that id. */
  clientTaskIds: 'start' | 'refuse';
  log: Log;
  /** Hears of every session and call. */
  observer: Observer;
}

/** What a server uses unless told otherwise. */
export const DEFAULT_SESSION_OPTIONS: SessionOptions = {
  idleMs: 15 * 60_000,
  lingerMs: 60_000,
  maxRecentBytes: 256 * 1024 * 1024,
  graceMs: 5_000,
  teardownMs: 30_000,
  maxSessions: 100_000,
  tombstoneMs: 15 * 60_000,
  maxTombstones: 100_000,
  callsAfterFinish: 'refuse',
  clientTaskIds: 'start',
  log: silent,
  observer: unobserved,
};
