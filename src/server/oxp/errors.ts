import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type Problem, TiltyardError, ToolIdError } from '../../core/index.ts';
import {
  type MissingRequirements,
  OXP_SCHEMA,
  type ServerErrorBody,
  type ValidationErrorBody,
} from '../../protocol/index.ts';
import { letBodyPass } from '../http/errors.ts';

/** What may be told besides the message. */
export interface OxpErrorOptions extends ErrorOptions {
  status?: number;
  developerMessage?: string;
  missing?: MissingRequirements;
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

/** An input that its tool does not take. */
export class InputError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super('the tool does not take this input');
    this.name = 'InputError';
    this.problems = problems;
  }
}

/** Answers every error in the form that OXP gives it. */
export function oxpErrorHandler(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void {
  request.tiltyardCode = toCode(error);
  const problems = toInputProblems(error);
  if (problems !== undefined) {
    reply.code(422).send(toValidationBody(problems));
    return;
  }
  const known = toOxpError(error);
  if (known.status >= 500 && known !== error) request.log.error({ err: error, url: request.url }, 'unexpected error');
  if (known.status === 413) letBodyPass(reply);
  reply.code(known.status).headers(known.headers).send(toServerErrorBody(known));
}

/** A word for the log: OXP has none for its errors, and over it most of them have the same status. */
function toCode(error: Error): string | undefined {
  if (error instanceof TiltyardError) return error.code;
  if (error instanceof InputError) return 'invalid_input';
  if (!(error instanceof OxpError)) return undefined;
  if (error.cause instanceof TiltyardError) return error.cause.code;
  if (error.missing !== undefined) return 'missing_requirements';
  // Only what is over sooner or later says when to come back.
  return 'retry-after' in error.headers ? 'unavailable' : undefined;
}

function toInputProblems(error: Error): readonly Problem[] | undefined {
  if (error instanceof InputError) return error.problems;
  const isInput = error instanceof TiltyardError && error.code === 'invalid_input';
  return isInput ? [{ path: [], message: error.message }] : undefined;
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

// OXP has one status for what is wrong before the tool; these two say what 400 could not.
const KEPT_STATUS: ReadonlySet<number> = new Set([405, 413]);

function toOxpError(error: FastifyError | Error): OxpError {
  if (error instanceof OxpError) return error;
  if (error instanceof ToolIdError) return new OxpError(error.message, { developerMessage: error.developerMessage });
  if (error instanceof TiltyardError && error.code === 'forbidden') return new OxpError(error.message, { status: 403 });
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
  if (error instanceof TiltyardError || status < 500) {
    return new OxpError(status === 413 ? 'The request is too large' : 'The request is not valid', {
      status: KEPT_STATUS.has(status) ? status : 400,
      developerMessage: error.message,
    });
  }
  return new OxpError('The server failed', { status: 500 });
}
