import type { Recovered, SessionCounts, SessionHost, SessionRef } from '../sessions/index.ts';

/** The host of a node's own sessions, whose episodes are kept in its `HeldJournal`. */
export interface HomeHost extends SessionHost {
  readonly counts: SessionCounts;
  /** Makes room for the sessions that the journal has taken. */
  recover(): Promise<Recovered | undefined>;
  /** Aborts a call, by its id. */
  abort(ref: SessionRef, taskId: string): void;
  /** Lets go of a session that another node has, or gets; its calls may end first, for so long. */
  release(ref: SessionRef, patienceMs: number): Promise<void>;
}
