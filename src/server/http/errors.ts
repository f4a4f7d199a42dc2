import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import {
  EnvironmentError,
  type ErrorCode,
  type Failure,
  printable,
  type Thrown,
  TiltyardError,
  toFailure,
} from '../../core/index.ts';
import { toLoggedUrl } from '../observe/logged-url.ts';

/** How much of an author's exception clients see: nothing, its name and message, or the stack as well. */
export type ReturnErrors = 'none' | 'exception' | 'stacktrace';

/** The body of every error that is not part of an event stream. */
export interface ErrorBody {
  detail: string;
  code?: ErrorCode;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the error that it was answered with, for its line in the log. */
    tiltyardCode?: string | undefined;
    /** Set if it is told by the line of its call. */
    tiltyardIsTold?: boolean | undefined;
  }
}

/** The HTTP status of each error over ORS. */
const STATUS: Record<ErrorCode, number> = {
  bad_request: 400,
  invalid_definition: 500,
  unauthorized: 401,
  forbidden: 403,
  host_not_allowed: 421,
  origin_not_allowed: 403,
  unknown_environment: 404,
  environment_mismatch: 404,
  unknown_split: 400,
  bad_index: 400,
  not_listable: 400,
  too_many_tasks: 400,
  invalid_task: 400,
  missing_secrets: 400,
  unknown_toolset: 400,
  other_instance: 412,
  session_exists: 400,
  session_not_found: 404,
  session_gone: 410,
  session_expired: 410,
  session_lost: 410,
  too_many_sessions: 429,
  too_many_calls: 429,
  memory_used: 503,
  memory_share_used: 429,
  shutting_down: 503,
  no_worker: 503,
  journal_unavailable: 503,
  setup_failed: 500,
  task_changed: 410,
  restore_failed: 410,
  diverged: 410,
  outcome_unknown: 500,
  unknown_task_id: 404,
  task_id_reused: 409,
  unknown_tool: 404,
  invalid_input: 400,
  episode_finished: 400,
  call_cancelled: 409,
  tool_failed: 400,
  call_id_reused: 400,
  result_not_kept: 400,
  missing_requirements: 400,
  environment_failed: 500,
  unsupported_media_type: 415,
};

// A place among the calls of a session is free sooner than one among the sessions.
const RETRY_AFTER_SECONDS: Partial<Record<ErrorCode, string>> = {
  too_many_calls: '1',
  too_many_sessions: '5',
  memory_used: '5',
  memory_share_used: '5',
  shutting_down: '5',
  no_worker: '1',
  journal_unavailable: '1',
};

/** An error as it is told to a client. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody;
}

/** Where the error happened. */
export interface ErrorPlace {
  readonly url: string | undefined;
  readonly log: FastifyBaseLogger;
}

/** What is told about any error; what nobody foresaw is logged and shown to nobody. */
export function toErrorAnswer(error: Error, returnErrors: ReturnErrors, { url, log }: ErrorPlace): ErrorAnswer {
  if (error instanceof TiltyardError) {
    if (error instanceof EnvironmentError && !error.logged)
      log.error({ error: toLogged(error.thrown) }, printable(error.message));
    return toFailureAnswer(toFailure(error), returnErrors);
  }
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
  if (status < 500) return { status, headers: {}, body: { detail: error.message } };
  log.error({ err: error, url: url && toLoggedUrl(url) }, 'unexpected error');
  return { status: 500, headers: {}, body: { detail: 'Internal Server Error' } };
}

function toLogged({ name, message, stack }: Thrown): Thrown {
  return { name: printable(name), message: printable(message), stack: printable(stack) };
}

/** What is told about a failure that stands in the log already, or need not. */
export function toFailureAnswer(failure: Failure, returnErrors: ReturnErrors): ErrorAnswer {
  const { code, status = STATUS[code] } = failure;
  const retryAfter = RETRY_AFTER_SECONDS[code];
  const headers = {
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
    // Official clients wait for a server that says so.
    ...(code === 'journal_unavailable' && { 'x-backend-state': 'starting' }),
  };
  return { status, headers, body: { detail: toDetail(failure, returnErrors), code } };
}

/** Answers any error with a status and a JSON body. */
export function errorHandler(returnErrors: ReturnErrors) {
  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void => {
    const { status, headers, body } = toErrorAnswer(error, returnErrors, request);
    request.tiltyardCode = body.code;
    if (!request.raw.complete) letBodyPass(reply);
    reply.code(status).headers(headers).send(body);
  };
}

/**
 * Lets a client send the rest of a body that is not read, to be thrown away. Fastify would close the connection under it,
 * and then neither the client nor a proxy between gets to read the answer.
 */
export function letBodyPass(reply: FastifyReply): void {
  reply.removeHeader('connection');
}

/** The text of a failure that clients may see. */
export function toDetail({ message, thrown, status }: Failure, returnErrors: ReturnErrors): string {
  if (thrown === undefined) return message;
  // The author chose these words for the client.
  if (status !== undefined) return thrown.message;
  return reveal(thrown, returnErrors) ?? 'Internal Server Error';
}

/** What a client may see of an author's exception; undefined for nothing. */
export function reveal({ name, message, stack }: Thrown, returnErrors: ReturnErrors): string | undefined {
  if (returnErrors === 'none') return undefined;
  return returnErrors === 'stacktrace' && stack !== '' ? stack : `${name}: ${message}`;
}
