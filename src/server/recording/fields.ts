import { createHash } from 'node:crypto';
import type { Fault, NewEnd, NewEpisode, RecordedFailure, Stop } from '../../records/index.ts';
import { taskHashOf } from '../../records/index.ts';
import type { CallEnding, EpisodeOpened, SessionEnded } from '../../sessions/index.ts';
import type { ReturnErrors } from '../http/errors.ts';
import { toCallAnswer } from '../ors/call-answer.ts';

/** The first event of an episode. */
export function toEpisode({ session, at, task, taskHash, seed }: EpisodeOpened): Omit<NewEpisode, 'tools'> {
  const { sid, identity, environment, split, index } = session;
  return {
    type: 'episode',
    at: Math.round(at),
    by: 'server',
    environment,
    ...(split === undefined ? {} : { split }),
    ...(index === undefined ? {} : { index }),
    ...(task === undefined ? {} : { task, taskHash: taskHashOf(task) }),
    ...(taskHash === undefined ? {} : { taskHash }),
    seed,
    id: sid,
    ...(identity === '' ? {} : { identity }),
  };
}

/**
 * The name of a record's file. Clients choose session ids, so only a hash of them is in it; what comes before is for people. An
 * episode that goes on after a restart has the same.
 */
export function nameOf({ session, seed }: EpisodeOpened): string {
  const { sid, identity, environment, split, index } = session;
  const unique = createHash('sha256')
    .update(JSON.stringify([identity, sid, seed]))
    .digest('hex')
    .slice(0, 16);
  const readable = [environment, split, index].filter((part) => part !== undefined).map((part) => plain(String(part)));
  return [...readable, unique].join('-');
}

function plain(text: string): string {
  return text.replace(/[^a-zA-Z0-9_]/g, '_').slice(0, 40);
}

/** The fields of a `call` event. */
export function callFields(tool: string, input: object, id: string): string {
  return `"tool":${quote(tool)},"input":${JSON.stringify(input)},"id":${quote(id)}`;
}

const PLAIN = /^[\w.:-]*$/;

/** A text in JSON; most ids and names need no escapes. */
function quote(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

// As `resultJson` writes every result.
const BEFORE_OUTPUT = '{"ok":true,"output":{';
const AFTER_OUTPUT = '}}';

/** The fields of a `result` event, but for the number of its call. What a tool returned is JSON already, and is not parsed. */
export function resultFields(ending: CallEnding, durationMs: number, returnErrors: ReturnErrors): string {
  const ms = `"ms":${Math.round(durationMs * 1000) / 1000}`;
  if (ending.kind === 'returned') return `${ms},"outcome":"returned",${outputFields(ending.json)}`;
  const { outcome, failure } = toFailure(ending, returnErrors);
  return `${ms},"outcome":${JSON.stringify(outcome)},"failure":${JSON.stringify(failure)}`;
}

function outputFields(json: string): string {
  if (json.startsWith(BEFORE_OUTPUT)) return json.slice(BEFORE_OUTPUT.length, -AFTER_OUTPUT.length);
  const { output } = JSON.parse(json) as { readonly output: object };
  return JSON.stringify(output).slice(1, -1);
}

/** What a call that did not return tells its client. */
function toFailure(
  ending: Exclude<CallEnding, { kind: 'returned' }>,
  returnErrors: ReturnErrors,
): { readonly outcome: string; readonly failure: RecordedFailure } {
  const { code } = ending.failure;
  const answer = toCallAnswer(ending, { envelope: true, streaming: true, returnErrors });
  if (answer.kind === 'end') {
    const { error: message, reason } = JSON.parse(answer.json) as { readonly error: string; readonly reason: string };
    const outcome = ending.kind === 'failed' ? ending.outcome : 'tool_error';
    return { outcome, failure: { reason, message, code } };
  }
  const message = answer.kind === 'error' ? answer.message : ending.failure.message;
  const outcome = (answer.kind === 'error' ? answer.outcome : undefined) ?? 'cancelled';
  return { outcome, failure: { reason: ending.kind === 'failed' ? 'broken' : 'refused', message, code } };
}

/** The last event of an episode. */
export function toEnd({ at, outcome, reason, durationMs }: SessionEnded, setupFailed: boolean): NewEnd {
  const isLost = reason === 'lost' && outcome !== 'finished';
  const known = setupFailed ? SETUP_FAILED : isLost ? LOST : (BY_OUTCOME[outcome] ?? {});
  return { type: 'end', at: Math.round(at), outcome, ...known, ms: Math.round(durationMs) };
}

interface Known {
  readonly stop?: Stop;
  readonly fault?: Fault;
}

const SETUP_FAILED: Known = { stop: 'setup_failed', fault: 'environment' };
const LOST: Known = { stop: 'lost', fault: 'environment' };

// Of an episode that its client has ended, only the client knows why.
const BY_OUTCOME: Partial<Record<SessionEnded['outcome'], Known>> = {
  finished: { stop: 'finished', fault: 'none' },
  env_error: { stop: 'env_error', fault: 'environment' },
  timeout: { stop: 'tool_timeout', fault: 'environment' },
  expired: { stop: 'expired', fault: 'environment' },
};
