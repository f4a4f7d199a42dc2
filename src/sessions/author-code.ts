import { AsyncLocalStorage } from 'node:async_hooks';
import type { EpisodeLog, Secrets } from '../core/index.ts';
import type { Observer, Subject } from './events.ts';

/** The episode or call that an author's code runs for. */
export interface CodeOwner {
  /** What its log hides. */
  readonly hidden: Secrets;
  readonly log: EpisodeLog;
}

/** Runs an author's code, with what observers put around it, and so that errors nobody catches find the log of its owner. */
export function runAuthors<Value>(
  { within }: Observer,
  owner: CodeOwner,
  toSubject: () => Subject,
  run: () => Value,
): Value {
  const scoped = isEmpty(owner.hidden) ? run : () => logs.run(owner.log, run);
  return within === undefined ? scoped() : within(toSubject(), scoped);
}

/** Whether an author's code may run just so, without the functions above. */
export function runsPlainly({ within }: Observer, owner: CodeOwner): boolean {
  return within === undefined && isEmpty(owner.hidden);
}

/**
 * The log of the episode or call whose code runs or has just thrown, also after an `await` or in a timer; undefined where that is
 * not known, or has no secrets.
 */
export function logOfRunningCode(): EpisodeLog | undefined {
  return logs.getStore();
}

// Until its first use it costs nothing. From then on, before Node 24, each promise of the process takes some 0.2 us more: only
// secrets are worth that.
const logs = new AsyncLocalStorage<EpisodeLog>();

/** Whether there is nothing to hide. A loop, since a list of the names would be made for each call. */
export function isEmpty(secrets: Secrets): boolean {
  for (const name in secrets) if (Object.hasOwn(secrets, name)) return false;
  return true;
}
