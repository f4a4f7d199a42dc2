import { DEFAULT_LIMITS, type Limits, type Log, silent } from '../core/index.ts';
import { type Observer, unobserved } from './observer.ts';

/** What sessions allow, apart from how much of it. */
export interface SessionRules {
  /** Whether tools still run after an episode has finished. */
  callsAfterFinish: 'refuse' | 'allow';
  /** Whether an unknown task_id of a client's own making starts a call under that id. */
  clientTaskIds: 'start' | 'refuse';
}

/** How sessions behave; every host takes the same. */
export interface SessionOptions extends Limits, SessionRules {
  log: Log;
  /** Hears of every session and call. */
  observer: Observer;
}

/** What a server uses unless told otherwise. */
export const DEFAULT_SESSION_OPTIONS: SessionOptions = {
  ...DEFAULT_LIMITS,
  callsAfterFinish: 'refuse',
  clientTaskIds: 'start',
  log: silent,
  observer: unobserved,
};
