import { DEFAULT_LIMITS, type Limits, type Log, silent } from '../core/index.ts';
import { type Observer, unobserved } from './events.ts';
import type { MemoryBudget } from './memory/memory-budget.ts';

/** What sessions allow, apart from how much of it. */
export interface SessionRules {
  /** Whether tools still run after an episode has finished. */
  callsAfterFinish: 'refuse' | 'allow';
  /** Whether an unknown task_id of a client's own making starts a call under that id. */
  clientTaskIds: 'start' | 'refuse';
  /** Whether a task_id that comes again with another tool or input gets the result of the first call, or none. */
  reusedTaskIds: 'answer' | 'refuse';
}

/** How sessions behave; every host takes the same. */
export interface SessionOptions extends Limits, SessionRules {
  log: Log;
  /** Hears of every session and call. */
  observer: Observer;
  /** How long a call may wait for setup before its client is told its id. */
  announceAfterMs: number;
  /** What clients may make the server hold, if others count theirs there as well. */
  memory?: MemoryBudget;
}

/** What of the options of sessions concerns the author's code. */
export type EpisodeOptions = Pick<
  SessionOptions,
  'callsAfterFinish' | 'graceMs' | 'log' | 'maxCallsInFlight' | 'observer' | 'teardownMs'
>;

/** What a server uses unless told otherwise. */
export const DEFAULT_SESSION_OPTIONS: SessionOptions = {
  ...DEFAULT_LIMITS,
  callsAfterFinish: 'refuse',
  clientTaskIds: 'start',
  reusedTaskIds: 'answer',
  announceAfterMs: 3_000,
  log: silent,
  observer: unobserved,
};
