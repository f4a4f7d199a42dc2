import type { FollowSnapshot, LiveSession, LiveSnapshot, LiveStep, StreamEvent } from '../../../src/studio/api.ts';
import { useTopic } from '../../data/hooks.ts';

// As many as the studio keeps.
const MOST_STEPS = 500;

/** The sessions of a server, by id, in the order in which they began. */
export interface LiveState extends Omit<LiveSnapshot, 'sessions'> {
  readonly sessions: ReadonlyMap<string, LiveSession>;
}

/** All sessions of a server as they are now. */
export function useLive(target: string | null): LiveState | undefined {
  return useTopic<LiveState>(target === null ? null : `live/${target}`, reduceLive);
}

/** One session with its steps, as they happen; null if there is no such session. */
export function useFollowed(target: string, sid: string | undefined): FollowSnapshot | undefined {
  return useTopic<FollowSnapshot>(sid === undefined ? null : `follow/${target}/${sid}`, reduceFollowed);
}

/** The sessions after an event. */
export function reduceLive(before: LiveState | undefined, event: StreamEvent): LiveState | undefined {
  if (event.type === 'live')
    return { ...event.live, sessions: new Map(event.live.sessions.map((each) => [each.sid, each])) };
  if (event.type !== 'live_changes' || before === undefined) return before;
  const sessions = new Map(before.sessions);
  for (const session of event.sessions) sessions.set(session.sid, session);
  for (const sid of event.gone) sessions.delete(sid);
  return { ...before, sessions, dropped: event.dropped };
}

/** A followed session after an event. */
export function reduceFollowed(before: FollowSnapshot | undefined, event: StreamEvent): FollowSnapshot | undefined {
  if (event.type === 'follow') return event.follow;
  if (event.type !== 'follow_changes') return before;
  const steps = new Map<string, LiveStep>((before?.steps ?? []).map((step) => [step.id, step]));
  for (const step of event.steps) steps.set(step.id, step);
  return {
    session: event.session ?? before?.session ?? null,
    steps: [...steps.values()].slice(-MOST_STEPS),
    problem: event.problem,
  };
}
