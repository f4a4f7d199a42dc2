import {
  outcomeOf,
  type SessionEnd,
  type SessionEnded,
  type SessionFacts,
  type SessionStarted,
  toEpisodeOutcome,
} from '../sessions/index.ts';
import { recollect, toRecalledCall } from './past.ts';
import type { CreateRecord, EpisodeRecord } from './records.ts';

/**
 * What observers hear of a session that ends before anybody has asked for it since the server started: that it was there, and how it
 * ended, so that it counts as any other.
 */
export function toEndEvents(
  records: readonly EpisodeRecord[],
  number: number,
  end: SessionEnd,
): [SessionStarted, SessionEnded] {
  const { sid, identity, environment, start, at: startedAt } = records[0] as CreateRecord;
  const calls = recollect(records).ended.map(toRecalledCall);
  const [split, index] = start !== undefined && 'split' in start.choice ? [start.choice.split, start.choice.index] : [];
  const session: SessionFacts = { number, sid, identity, environment, split, index };
  const last = calls.at(-1);
  const rewards = calls.flatMap(({ reward }) => reward ?? []);
  const at = Date.now();
  return [
    { type: 'session_started', at, session, trace: undefined },
    {
      type: 'session_ended',
      at,
      session,
      outcome: toEpisodeOutcome({
        end,
        finished: calls.some(({ finished }) => finished),
        broken: false,
        lastCall: last && outcomeOf(last.ending),
      }),
      reason: end,
      lost: undefined,
      calls: calls.length,
      durationMs: at - startedAt,
      reward: rewards.length === 0 ? null : rewards.reduce((sum, each) => sum + each, 0),
    },
  ];
}
