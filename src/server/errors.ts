import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { EnvironmentError, type ErrorCode, TiltyardError } from '../core/index.ts';

/** How much of an author's exception clients see: nothing, its name and message, or the stack as well. */
export type ReturnErrors = 'none' | 'exception' | 'stacktrace';

/** The body of every error that is not part of an event stream. */
export interface ErrorBody {
  detail: string;
  code?: ErrorCode;
}

/** The HTTP status of each error over ORS. */
const STATUS: Record<ErrorCode, number> = {
  bad_request: 400,
  invalid_definition: 500,
  unauthorized: 401,
  forbidden: 403,
  unknown_environment: 404,
  environment_mismatch: 404,
  unknown_split: 400,
  bad_index: 400,
  not_listable: 400,
  too_many_tasks: 400,
  invalid_task: 400,
  unknown_toolset: 400,
  session_exists: 400,
  session_not_found: 404,
  session_gone: 410,
  session_expired: 410,
  too_many_sessions: 429,
  too_many_calls: 429,
  shutting_down: 503,
  setup_failed: 500,
  unknown_task_id: 404,
  unknown_tool: 404,
  invalid_input: 400,
  episode_finished: 400,
  tool_failed: 400,
  environment_failed: 500,
  unsupported_media_type: 415,
};

// A place among the calls of a session is free sooner than one among the sessions.
const RETRY_AFTER_SECONDS: Partial<Record<ErrorCode, string>> = {
  too_many_calls: '1',
  too_many_sessions: '5',
  shutting_down: '5',
};

/** Answers any error with a status and a JSON body; what nobody foresaw is logged and shown to nobody. */
export function errorHandler(returnErrors: ReturnErrors) {
  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void => {
    if (error instanceof TiltyardError) {
      if (error instanceof EnvironmentError && !error.logged) request.log.error({ error: error.thrown }, error.message);
      const status = (error instanceof EnvironmentError && error.status) || STATUS[error.code];
      if (status === 401) reply.header('www-authenticate', 'Bearer');
      const retryAfter = RETRY_AFTER_SECONDS[error.code];
      if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
      reply.code(status).send({ detail: toDetail(error, returnErrors), code: error.code } satisfies ErrorBody);
      return;
    }
    const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
    if (status < 500) {
      reply.code(status).send({ detail: error.message } satisfies ErrorBody);
      return;
    }
    request.log.error({ err: error, url: request.url }, 'unexpected error');
    reply.code(500).send({ detail: 'Internal Server Error' } satisfies ErrorBody);
  };
}

/** The text of an error that clients may see. */
export function toDetail(error: TiltyardError, returnErrors: ReturnErrors): string {
  if (!(error instanceof EnvironmentError)) return error.message;
  const { name, message, stack } = error.thrown;
  // The author chose these words for the client.
  if (error.status !== undefined) return message;
  if (returnErrors === 'none') return 'Internal Server Error';
  return returnErrors === 'stacktrace' && stack !== '' ? stack : `${name}: ${message}`;
}
