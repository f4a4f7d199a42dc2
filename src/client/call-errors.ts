import type { ErrorCode } from '../core/index.ts';
import { UNKNOWN_TASK_ID } from '../protocol/index.ts';
import {
  type ClientError,
  type ErrorContext,
  HttpError,
  MaxRetries,
  NetworkError,
  OutcomeUnknown,
  SessionTerminated,
  ToolCallError,
  type ToolCallReason,
  ToolFailed,
} from './errors.ts';
import { toTerminated } from './gone.ts';
import { OtherInstance } from './instance.ts';
import { isPassing, isStarting } from './retry.ts';

/** A call that failed. */
export interface FailedCall {
  readonly sid: string;
  readonly name: string;
  /** The id under which the server knows the call, if it does. */
  readonly taskId: string | undefined;
  /** Whether it may have run without our having heard how it ended. */
  readonly isLost: boolean;
}

const SHUTTING_DOWN: ErrorCode = 'shutting_down';
const SESSION_LOST: ErrorCode = 'session_lost';

/** Whether nothing ran for certain: the request did not leave, or the server said that it is too busy, not ready or stopping. */
export function isHarmless(error: unknown): boolean {
  if (error instanceof NetworkError) return error.unsent;
  if (!(error instanceof HttpError)) return false;
  return isStarting(error) || error.status === 429 || error.code === SHUTTING_DOWN;
}

/** Whether the server does not know, or no longer knows, the id of the call. */
export function isUnknownId(error: unknown): boolean {
  return error instanceof ToolFailed && error.message === UNKNOWN_TASK_ID;
}

/** What the caller of a tool is told, so that it can tell what ran, what did not, and what may have. */
export function toCallError(error: unknown, { sid, name, taskId, isLost }: FailedCall): unknown {
  const terminated = toTerminated(error);
  // How the session ended does not say how the call did that was lost before, unless all of it was lost.
  if (terminated !== undefined && isLost) {
    const { message, status, code } = terminated;
    const outcome = code === SESSION_LOST ? terminated.outcome : undefined;
    return new SessionTerminated(message, { sid, taskId, status, code, cause: error, outcome });
  }
  if (error instanceof OtherInstance) return toRestarted(`the call of '${name}'`, error, { sid, taskId });
  if (isUnknownId(error)) {
    const message = `the result of '${name}' is no longer kept by the server; the tool was not run again`;
    return new OutcomeUnknown(message, { sid, taskId, cause: error });
  }
  if (error instanceof HttpError && (error.status === 404 || error.status === 400)) {
    return toRefusal(error, { sid, taskId });
  }
  if (taskId === undefined && isPassing(error) && !isHarmless(error)) {
    const message = `the connection failed before the server named the call of '${name}': it may have run`;
    return new OutcomeUnknown(message, { sid, cause: error });
  }
  // Without an id each attempt was a call of its own: what the last one heard says nothing of the others.
  const isOneCall = taskId !== undefined || !(error instanceof MaxRetries) || error.errors.every(isHarmless);
  return toMaxRetries(`the call of '${name}'`, error, { sid, taskId, ...(isOneCall ? {} : { outcome: undefined }) });
}

/** What a caller is told whose call was sent to an instance that no longer answers. */
export function toRestarted(what: string, cause: unknown, context: ErrorContext): OutcomeUnknown {
  const message = `the server restarted, or another one took its place, before ${what} was answered: it may have run, and was not sent again. Find out what it did before you call it again`;
  return new OutcomeUnknown(message, { ...context, cause });
}

/** A failure of the network as the last of its attempts, also if there was only one, with what is known of the call. */
export function toMaxRetries(what: string, error: unknown, context: ErrorContext): unknown {
  const errors = error instanceof MaxRetries ? error.errors : error instanceof NetworkError ? [error] : undefined;
  return errors === undefined ? error : new MaxRetries(what, errors, context);
}

// A refused call, told by status; the official servers tell the same inside the stream.
function toRefusal(error: HttpError, context: ErrorContext): ClientError {
  const { status, code, detail } = error;
  const reason = reasonOf(error);
  return reason === undefined ? error : new ToolCallError(detail, reason, { ...context, status, code, cause: error });
}

const REASONS: ReadonlyMap<string, ToolCallReason> = new Map<ErrorCode, ToolCallReason>([
  ['unknown_tool', 'not_found'],
  ['invalid_input', 'input_validation'],
]);

function reasonOf({ code, detail }: HttpError): ToolCallReason | undefined {
  // Words only where there is no code: beside one they may be an author's.
  if (code !== undefined) return REASONS.get(code);
  return /is not a valid tool|Tool input validation error/.test(detail) ? toReason(detail) : undefined;
}

/** Why a call was refused, from the words that the official servers use. */
export function toReason(message: string): ToolCallReason {
  if (message.includes('is not a valid tool')) return 'not_found';
  if (message.includes('input validation error')) return 'input_validation';
  if (message.includes('name collision')) return 'name_collision';
  return 'tool_error';
}
