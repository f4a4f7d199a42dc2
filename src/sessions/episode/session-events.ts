import { type EpisodeOpened, type SessionEnded, type SessionFacts, toEpoch } from '../events.ts';
import type { WhyLost } from './loss.ts';
import { type SessionEnd, toEpisodeOutcome } from './outcome.ts';
import type { SessionCalls } from './session-calls.ts';
import type { SessionStart } from './session-start.ts';

/** A session, and when its episode began, in ms since 1970: perhaps at an earlier server. */
export interface Told {
  readonly session: SessionFacts;
  readonly createdAt: number;
}

/** What those who watch hear of an episode that begins. */
export function openedEvent(
  { session, createdAt }: Told,
  { choice, seed, secrets, recalled }: SessionStart,
  taskHash: string | undefined,
): EpisodeOpened {
  const task = 'task' in choice ? choice.task : undefined;
  return { type: 'episode_opened', at: createdAt, session, task, taskHash, seed, secrets, past: recalled?.ended };
}

/** How a session has ended. */
export interface Ended {
  readonly end: SessionEnd;
  readonly lost: WhyLost | undefined;
  /** Whether its setup or its prompt failed. */
  readonly broken: boolean;
  readonly calls: SessionCalls;
}

/** What they hear of one that has ended. */
export function endedEvent({ session, createdAt }: Told, { end, lost, broken, calls }: Ended): SessionEnded {
  const { count, reward, hasFinished: finished, lastOutcome: lastCall } = calls;
  const at = toEpoch(performance.now());
  return {
    type: 'session_ended',
    at,
    session,
    outcome: toEpisodeOutcome({ end, finished, broken, lastCall }),
    reason: end,
    lost: lost?.reason,
    calls: count,
    // By the clock, which may have been set back since.
    durationMs: Math.max(0, at - createdAt),
    reward,
  };
}
