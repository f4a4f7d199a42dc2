import type { Failure } from '../../core/index.ts';
import { Call, NOTHING_TO_LEAVE } from '../call.ts';
import { refused } from '../call-ending.ts';
import { type SessionFacts, toEpoch } from '../events.ts';
import type { CallListener, CallRequest } from '../host.ts';
import { checksumOf } from '../kept/checksum.ts';
import type { SessionOptions } from '../options.ts';
import type { EndedCall, KnownCall, SessionCalls } from './session-calls.ts';

/** Whose calls may be repeated. */
export interface RepeatingSession {
  readonly facts: SessionFacts;
  readonly calls: SessionCalls;
  readonly options: Pick<SessionOptions, 'observer' | 'reusedTaskIds'>;
}

/** A call that has come, which may have come before. */
export interface ArrivedCall {
  readonly request: CallRequest;
  /** A name of the catalog, or UNKNOWN_TOOL. */
  readonly tool: string;
  readonly now: number;
}

/** Answers a call whose id is known: with the one that runs, or as it ended. */
export function repeat(
  session: RepeatingSession,
  known: KnownCall,
  arrived: ArrivedCall,
  on: CallListener,
): () => void {
  const { taskId = '' } = arrived.request;
  const { name, input } = arrived.request;
  const isReused = known.checksum !== undefined && known.checksum !== checksumOf(name, input);
  const refusal = isReused ? reuse(session, arrived) : undefined;
  if (refusal !== undefined) return settle(on, taskId, toEnded(refusal));
  return known instanceof Call ? known.attach(on) : settle(on, taskId, known);
}

/** Tells of an id that came again with another question; why it is refused, if it is. */
function reuse({ facts, calls, options }: RepeatingSession, { request, tool, now }: ArrivedCall): Failure | undefined {
  const { taskId = '' } = request;
  const isRefused = options.reusedTaskIds === 'refuse';
  const isFirst = !calls.hasReusedIds;
  calls.hasReusedIds = true;
  options.observer.on({ type: 'task_id_reused', at: toEpoch(now), session: facts, taskId, tool, isRefused, isFirst });
  if (!isRefused) return undefined;
  const message = `task_id '${taskId}' was used before for another tool or input. Every call needs an id of its own`;
  return { code: 'task_id_reused', message };
}

/** Tells how a call ended that is over, or that is not started. */
export function settle(on: CallListener, taskId: string, { ending, durationMs }: EndedCall): () => void {
  on({ kind: 'settled', taskId, ending, durationMs });
  return NOTHING_TO_LEAVE;
}

/** The end of a call that is not started. */
export function toEnded(failure: Failure): EndedCall {
  return { ending: refused(failure), durationMs: 0 };
}
