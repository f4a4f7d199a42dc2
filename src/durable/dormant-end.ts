import {
  type EpisodeOpened,
  outcomeOf,
  type RecalledCall,
  type SessionEnd,
  type SessionEnded,
  type SessionFacts,
  type SessionStarted,
  toEpisodeOutcome,
} from '../sessions/index.ts';
import { recollect, toRecalledCall } from './past.ts';
import type { CreateRecord, ServerRecord } from './records.ts';

/** What observers hear of a session that ends while it is dormant, in order. */
export interface DormantEnd {
  readonly started: SessionStarted;
  /** Undefined where nothing may be told of what was said in it. */
  readonly opened: EpisodeOpened | undefined;
  readonly ended: SessionEnded;
}

/**
 * What observers hear of a session that ends before anybody has asked for it since the server started: that it was there, what was said in
 * it, and how it ended, so that it counts as any other, and its record has an end.
 */
export function toDormantEnd(records: readonly ServerRecord[], number: number, end: SessionEnd): DormantEnd {
  const create = records[0] as CreateRecord;
  const { sid, identity, environment, start, at: startedAt } = create;
  const calls = recollect(records).ended.map(toRecalledCall);
  const [split, index] = start !== undefined && 'split' in start.choice ? [start.choice.split, start.choice.index] : [];
  const session: SessionFacts = { number, sid, identity, environment, split, index };
  const last = calls.at(-1);
  const rewards = calls.flatMap(({ reward }) => reward ?? []);
  const at = Date.now();
  return {
    started: { type: 'session_started', at, session, trace: undefined },
    opened: start && toOpened(create, start, session, calls),
    ended: {
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
  };
}

function toOpened(
  { seed, at }: CreateRecord,
  { choice, taskDigest, secrets }: NonNullable<CreateRecord['start']>,
  session: SessionFacts,
  past: readonly RecalledCall[],
): EpisodeOpened {
  const task = 'task' in choice ? choice.task : undefined;
  return { type: 'episode_opened', at, session, task, taskHash: taskDigest, seed, secrets, past };
}
