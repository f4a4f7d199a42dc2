import type { CallOutcome, EpisodeOutcome } from '../../core/index.ts';

/** What ended a session; lost: the process that ran its code ended. */
export type SessionEnd = 'deleted' | 'expired' | 'stopped' | 'lost';

/** An episode at its end. */
export interface EndedEpisode {
  readonly end: SessionEnd;
  /** Whether a tool said that it is finished. */
  readonly finished: boolean;
  /** Whether its setup or its prompt failed, and has not succeeded since; or its code could no longer run. */
  readonly broken: boolean;
  /** How its last call ended before the session did. */
  readonly lastCall: CallOutcome | undefined;
}

/**
 * The outcome of an episode. What went wrong comes before how the session ended: a client that deletes a session because
 * its tool crashed or hung does so for that reason. A tool's reported failure is no such reason, since the model can go on.
 */
export function toEpisodeOutcome({ end, finished, broken, lastCall }: EndedEpisode): EpisodeOutcome {
  if (finished) return 'finished';
  if (broken || end === 'lost' || lastCall === 'env_error') return 'env_error';
  if (lastCall === 'timeout') return 'timeout';
  return end === 'expired' ? 'expired' : 'cancelled';
}
