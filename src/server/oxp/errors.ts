import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, type Failure, type Problem, TiltyardError, toFailureError } from '../../core/index.ts';
import {
  type MissingRequirements,
  OUTCOME_HEADER,
  OXP_SCHEMA,
  type ServerErrorBody,
  type ValidationErrorBody,
} from '../../protocol/index.ts';
import type { CallEnding } from '../../sessions/index.ts';
import { type ErrorPlace, letBodyPass } from '../http/errors.ts';
import type { WholeAnswer } from '../http/exchange.ts';
import { toLoggedUrl } from '../observe/logged-url.ts';

/** What may be told besides the message. */
export interface OxpErrorOptions extends ErrorOptions {
  status?: number;
  developerMessage?: string | undefined;
  missing?: MissingRequirements | undefined;
  headers?: Record<string, string>;
}

/** Something failed before the tool ran: a message for users, and the detail for developers. */
export class OxpError extends Error {
  readonly status: number;
  readonly developerMessage: string | undefined;
  readonly missing: MissingRequirements | undefined;
  readonly headers: Record<string, string>;

  constructor(
    message: string,
    { status = 400, developerMessage, missing, headers = {}, ...options }: OxpErrorOptions = {},
  ) {
    super(message, options);
    this.name = 'OxpError';
    this.status = status;
    this.developerMessage = developerMessage;
    this.missing = missing;
    this.headers = headers;
  }
}

/** An error in the form that OXP gives it, with a word for the log: OXP has none, and one status for most of them. */
export interface OxpAnswer extends WholeAnswer {
  readonly body: ServerErrorBody | ValidationErrorBody;
  readonly code: string | undefined;
}

/** What is told about any error; what nobody foresaw is logged and shown to nobody. */
export function toErrorAnswer(error: FastifyError | Error, { url, log }: ErrorPlace): OxpAnswer {
  const known = toOxpError(error);
  if (known.status >= 500 && known !== error)
    log.error({ err: error, url: url && toLoggedUrl(url) }, 'unexpected error');
  return { status: known.status, headers: known.headers, body: toServerErrorBody(known), code: toCode(error) };
}

/** What is told about a call that was not run. */
export function toRefusalAnswer(
  { failure, problems }: Extract<CallEnding, { kind: 'refused' }>,
  unavailableStatus: 400 | 503,
): OxpAnswer {
  const { code, message, developerMessage, missing } = failure;
  if (problems !== undefined) return { status: 422, headers: FAULT, body: toValidationBody(problems), code };
  if (UNAVAILABLE_CODES.has(code)) {
    const error = unavailable(failure, unavailableStatus);
    return { status: error.status, headers: error.headers, body: toServerErrorBody(error), code };
  }
  if (code === 'call_id_reused' || code === 'result_not_kept') {
    const body = toServerErrorBody(new OxpError('This call cannot be repeated', { developerMessage: message }));
    return { status: 400, headers: {}, body, code };
  }
  const body = toServerErrorBody(new OxpError(message, { developerMessage, missing }));
  return { status: 400, headers: FAULT, body, code };
}

/** The error of what cannot be done now, but later. */
export function unavailable(failure: Failure, status: 400 | 503): OxpError {
  return new OxpError('The server is temporarily unavailable', {
    status,
    developerMessage: failure.message,
    headers: { 'retry-after': '5' },
    cause: toFailureError(failure),
  });
}

const UNAVAILABLE_CODES: ReadonlySet<ErrorCode> = new Set([
  'shutting_down',
  'no_worker',
  'journal_unavailable',
  'too_many_calls',
  'memory_used',
  'memory_share_used',
]);

// The call is at fault, and its outcome is told as that of one that ran.
const FAULT = { [OUTCOME_HEADER]: 'tool_error' } as const;

/** Answers every error in the form that OXP gives it. */
export function oxpErrorHandler(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void {
  const { status, headers, body, code } = toErrorAnswer(error, request);
  request.tiltyardCode = code;
  if (!request.raw.complete) letBodyPass(reply);
  reply.code(status).headers(headers).send(body);
}

function toCode(error: Error): string | undefined {
  if (error instanceof TiltyardError) return error.code;
  return error.cause instanceof TiltyardError ? error.cause.code : undefined;
}

/** The body of an error before the tool ran. */
export function toServerErrorBody({ message, developerMessage, missing }: OxpError): ServerErrorBody {
  return {
    $schema: OXP_SCHEMA,
    message,
    ...(developerMessage === undefined ? {} : { developer_message: developerMessage }),
    ...(missing === undefined ? {} : { missing_requirements: missing }),
  };
}

// Who has made more mistakes in one parameter than that needs no list of them.
const MAX_TOLD = 10;

/** The body of a refused input: one message for each parameter, with the path inside it where there is one. */
function toValidationBody(problems: readonly Problem[]): ValidationErrorBody {
  const byParameter = new Map<string, string[]>();
  for (const { path, message } of problems) {
    const [parameter = 'input', ...inside] = path;
    const told = byParameter.get(parameter) ?? [];
    told.push(inside.length === 0 ? message : `${inside.join('.')}: ${message}`);
    byParameter.set(parameter, told);
  }
  const parameterErrors = Object.fromEntries(Array.from(byParameter, ([name, told]) => [name, toLine(told)]));
  return { $schema: OXP_SCHEMA, message: 'Some input parameters are invalid', parameter_errors: parameterErrors };
}

function toLine(told: readonly string[]): string {
  const more = told.length > MAX_TOLD ? [`and ${told.length - MAX_TOLD} more`] : [];
  return [...told.slice(0, MAX_TOLD), ...more].join('; ');
}

const ELSEWHERE = 'The request is for another instance of this server';

// OXP has one status for what is wrong before the tool; these two say what 400 could not.
const KEPT_STATUS: ReadonlySet<number> = new Set([405, 413]);

// Who may not come at all, whatever is asked.
const REFUSED_CALLERS: Partial<Record<ErrorCode, number>> = {
  forbidden: 403,
  host_not_allowed: 421,
  origin_not_allowed: 403,
};

function toOxpError(error: FastifyError | Error): OxpError {
  if (error instanceof OxpError) return error;
  const refusedStatus = error instanceof TiltyardError ? REFUSED_CALLERS[error.code] : undefined;
  if (refusedStatus !== undefined) return new OxpError(error.message, { status: refusedStatus });
  if (error instanceof TiltyardError && error.code === 'other_instance')
    return new OxpError(ELSEWHERE, { status: 412, developerMessage: error.message });
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
  if (error instanceof TiltyardError || status < 500) {
    return new OxpError(status === 413 ? 'The request is too large' : 'The request is not valid', {
      status: KEPT_STATUS.has(status) ? status : 400,
      developerMessage: error.message,
    });
  }
  return new OxpError('The server failed', { status: 500 });
}
