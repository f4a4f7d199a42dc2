import type { ErrorCode } from '../core/index.ts';
import { type FailureReason, isObject, type Outcome, outcomeOfCode } from '../protocol/index.ts';

/** What is known of the request that failed. */
export interface ErrorContext extends ErrorOptions {
  status?: number | undefined;
  code?: string | undefined;
  sid?: string | undefined;
  taskId?: string | undefined;
  outcome?: Outcome | undefined;
}

/** The base of all errors of the client: plain data, so that it survives a worker, a queue or a log. */
export class ClientError extends Error {
  // Written out in every class, not taken from it: minifiers rename classes, and the name may be all that survives.
  override readonly name: string = 'ClientError';
  /** The status of the answer, where there was one. */
  readonly status: number | undefined;
  /** What the failure is called: by the server (`session_gone`), the platform (`ECONNREFUSED`) or this client. */
  readonly code: string | undefined;
  /** The id of the session that was asked. */
  readonly sid: string | undefined;
  /** The id of the call, once there is one. */
  readonly taskId: string | undefined;
  /** How the call or the episode ended; undefined where the client cannot know, or nothing has ended. */
  readonly outcome: Outcome | undefined;

  constructor(message: string, { status, code, sid, taskId, outcome, ...options }: ErrorContext = {}) {
    super(message, options);
    this.status = status;
    this.code = code;
    this.sid = sid;
    this.taskId = taskId;
    this.outcome = outcome;
  }

  /** What is known of the error, as plain data for logs and other processes. */
  toJSON(): Record<string, unknown> {
    const { name, message, status, code, sid, taskId, outcome, cause } = this;
    return {
      name,
      message,
      status,
      code,
      sid,
      taskId,
      outcome,
      ...(cause === undefined ? {} : { cause: toText(cause) }),
    };
  }
}

/** The server answered with a status that is an error, and no more special class fits. */
export class HttpError extends ClientError {
  override readonly name: string = 'HttpError';
  /** What the server said, as text. */
  readonly detail: string;
  /** When the server asks to come back. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, detail: string, context: ErrorContext & { retryAfterMs?: number | undefined } = {}) {
    super(`the server answered ${status}: ${detail}`, { outcome: toOutcome(status, context.code), ...context, status });
    this.detail = detail;
    this.retryAfterMs = context.retryAfterMs;
  }

  /** As of every `ClientError`, with what this one adds. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), detail: this.detail, retryAfterMs: this.retryAfterMs };
  }
}

/** The code of an HttpError from a server that does not wait for a setup: nothing ran, and asking again helps. */
export const STARTING = 'starting';

/** The code of an HttpError of a setup that failed: its author chose the status and the words, so that only the code says what it is. */
export const SETUP_FAILED: ErrorCode = 'setup_failed';

/** The code of a ClientError about a result whose reward is none: the tool ran, and nobody can say what it paid. */
export const INVALID_REWARD = 'invalid_reward';

/** The code of a ClientError about an answer that is not JSON: a web page, most likely, and no server of these protocols. */
export const NOT_JSON = 'not_json';

/** The code of a ClientError about an answer of another kind than what was asked for, as servers of other protocols send. */
export const UNEXPECTED_ANSWER = 'unexpected_answer';

/** The code of a ClientError about an answer of the right kind of which a part cannot be read. */
export const UNREADABLE_PART = 'unreadable_part';

/** The API key is missing or wrong (401). */
export class AuthError extends HttpError {
  override readonly name: string = 'AuthError';
}

/** The session is over: deleted, expired, or no longer answering. Begin a new one. */
export class SessionTerminated extends ClientError {
  override readonly name: string = 'SessionTerminated';

  constructor(message: string, context: ErrorContext = {}) {
    super(message, { outcome: toOutcome(context.status, context.code), ...context });
  }
}

/** Why a call failed in a way that the model can mend. */
export type ToolCallReason = FailureReason | 'name_collision' | 'bad_input_shape';

/** The call was refused, or its tool reported a failure: give the message to the model. The session goes on. */
export class ToolCallError extends ClientError {
  override readonly name: string = 'ToolCallError';
  /** Why, for programs. */
  readonly reason: ToolCallReason;

  constructor(message: string, reason: ToolCallReason, context: ErrorContext = {}) {
    super(message, { outcome: reason === 'timeout' ? 'timeout' : 'tool_error', ...context });
    this.reason = reason;
  }

  /** As of every `ClientError`, with what this one adds. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), reason: this.reason };
  }
}

/** The tool broke: there is no result, and so no reward. */
export class ToolFailed extends ClientError {
  override readonly name: string = 'ToolFailed';

  constructor(message: string, { outcome = 'env_error', ...context }: ErrorContext = {}) {
    super(message, { ...context, outcome });
  }
}

/** The connection was lost and nobody can say whether the tool ran, or its result is no longer kept. Not run again. */
export class OutcomeUnknown extends ClientError {
  override readonly name: string = 'OutcomeUnknown';
}

/** The answer is more than this client takes: too many bytes, or too many values for their size. A call that ends so may have run. */
export class AnswerTooLarge extends ClientError {
  override readonly name: string = 'AnswerTooLarge';

  constructor(message: string, context: ErrorContext = {}) {
    super(message, { code: 'answer_too_large', ...context });
  }
}

/** The time given for the whole operation is up. */
export class TimedOut extends ClientError {
  override readonly name: string = 'TimedOut';
}

/** Every attempt failed; `errors` has them all. A call that ends so may have run, unless `outcome` says how it ended. */
export class MaxRetries extends ClientError {
  override readonly name: string = 'MaxRetries';
  readonly errors: readonly Error[];

  constructor(what: string, errors: readonly Error[], context: ErrorContext = {}) {
    const last = errors.at(-1);
    const { status, code, sid, taskId } = last instanceof ClientError ? last : ({} as ErrorContext);
    super(`${what} failed ${errors.length} times; the last time: ${last?.message}`, {
      status,
      code,
      sid,
      taskId,
      outcome: lastHeard(errors),
      ...context,
      cause: last,
    });
    this.errors = errors;
  }

  /** As of every `ClientError`, with what this one adds. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), errors: this.errors.map(toText) };
  }
}

/** The network failed before a whole answer was there. */
export class NetworkError extends ClientError {
  override readonly name: string = 'NetworkError';
  /** True if the request cannot have reached the server, so that repeating it is always safe. */
  readonly unsent: boolean;
  /** For how long the connection gave signs of life after the answer had begun. */
  readonly heldMs: number;

  constructor(
    message: string,
    { unsent = false, heldMs = 0, ...context }: ErrorContext & { unsent?: boolean; heldMs?: number } = {},
  ) {
    super(message, context);
    this.unsent = unsent;
    this.heldMs = heldMs;
  }

  /** As of every `ClientError`, with what this one adds. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), unsent: this.unsent };
  }
}

// An attempt that did not reach the server changes nothing of what the one before it heard: a server that refuses because it
// is stopping is soon not there at all.
function lastHeard(errors: readonly Error[]): Outcome | undefined {
  const heard = errors.findLast((error) => !(error instanceof NetworkError && error.unsent));
  return heard instanceof ClientError ? heard.outcome : undefined;
}

// The code of a server of this make says it all; of others, only a failure in their own code is sure.
function toOutcome(status: number | undefined, code: string | undefined): Outcome | undefined {
  return outcomeOfCode(code ?? '') ?? (status === 500 ? 'env_error' : undefined);
}

// Anything can be thrown, also what can be turned neither into JSON nor into a string.
function toText(thrown: unknown): string {
  if (!isObject(thrown)) return String(thrown);
  return typeof thrown.message === 'string' ? thrown.message : Object.prototype.toString.call(thrown);
}
