import { cutText, type WatchedCall, type WatchedSession } from '../../protocol/index.ts';
import type { LiveSession, LiveSnapshot, LiveStep } from '../api.ts';

// More than any name or id of a well-behaved server: a hostile one must not fill the memory with them.
const MOST_CHARACTERS = 512;

/** What a status of GET /events says of a server. */
export function statusOf(status: number): LiveSnapshot['status'] {
  if (status === 401 || status === 403) return 'forbidden';
  // Too many listen already, or it is stopping: later, perhaps.
  return status === 429 || status >= 500 ? 'lost' : 'off';
}

/** A session in the words of the page. Field by field: whatever else a server sends is not kept. */
export function toLiveSession(session: WatchedSession): LiveSession {
  return {
    sid: toText(session.sid),
    environment: toText(session.environment),
    identity: toText(session.identity),
    split: orNull(toText, session.split),
    index: orNull(toNumber, session.index),
    startedAt: toNumber(session.started_at),
    state: toText(session.state) as LiveSession['state'],
    calls: toNumber(session.calls),
    running: toNumber(session.running),
    lastTool: orNull(toText, session.last_tool),
    lastAt: toNumber(session.last_at),
    reward: orNull(toNumber, session.reward),
    finished: session.finished === true,
    outcome: orNull(toText, session.outcome) as LiveSession['outcome'],
  };
}

/** A call in the words of the page, beside what is known of it already. */
export function toLiveStep(call: WatchedCall, at: number, find: (id: string) => LiveStep | undefined): LiveStep {
  const id = toText(call.id);
  const ms = orNull(toNumber, call.ms);
  const known = find(id);
  return {
    ...known,
    id,
    tool: toText(call.tool),
    // Of one that began before anybody listened, only the end is known.
    startedAt: known?.startedAt ?? toNumber(at) - (ms ?? 0),
    ms,
    outcome: orNull(toText, call.outcome) as LiveStep['outcome'],
    reward: orNull(toNumber, call.reward),
    finished: call.finished === true,
  };
}

/** A name or an id of a server, of a length that can be kept. */
export function toText(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError(`a text was expected, not ${typeof value}`);
  return cutText(value, MOST_CHARACTERS);
}

/** A number of a server. */
export function toNumber(value: unknown): number {
  if (typeof value !== 'number') throw new TypeError(`a number was expected, not ${typeof value}`);
  return value;
}

function orNull<Value>(read: (value: unknown) => Value, value: unknown): Value | null {
  return value === null ? null : read(value);
}
