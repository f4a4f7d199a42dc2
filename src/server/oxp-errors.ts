import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { type Problem, TiltyardError, ToolIdError } from '../core/index.ts';
import {
  type MissingRequirements,
  OXP_SCHEMA,
  type ServerErrorBody,
  type ValidationErrorBody,
} from '../protocol/index.ts';

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

/** Answers every error in the form that OXP gives it. */
export function oxpErrorHandler(error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void {
  const known = toOxpError(error);
  if (known.status >= 500) request.log.error({ err: error, url: request.url }, 'unexpected error');
  const body: ServerErrorBody = {
    $schema: OXP_SCHEMA,
    message: known.message,
    ...(known.developerMessage === undefined ? {} : { developer_message: known.developerMessage }),
    ...(known.missing === undefined ? {} : { missing_requirements: known.missing }),
  };
  reply.code(known.status).headers(known.headers).send(body);
}

/** The body of a refused input: one message for each parameter, with the path inside it where there is one. */
export function toValidationBody(problems: readonly Problem[]): ValidationErrorBody {
  const errors: Record<string, string> = Object.create(null);
  for (const { path, message } of problems) {
    const [parameter = 'input', ...inside] = path;
    const text = inside.length === 0 ? message : `${inside.join('.')}: ${message}`;
    errors[parameter] = errors[parameter] === undefined ? text : `${errors[parameter]}; ${text}`;
  }
  return { $schema: OXP_SCHEMA, message: 'Some input parameters are invalid', parameter_errors: errors };
}

function toOxpError(error: FastifyError | Error): OxpError {
  if (error instanceof OxpError) return error;
  if (error instanceof ToolIdError) return new OxpError(error.message, { developerMessage: error.developerMessage });
  if (error instanceof TiltyardError && error.code === 'bad_request') {
    return new OxpError('The request is not valid', { developerMessage: error.message });
  }
  if (error instanceof TiltyardError) return new OxpError(error.message);
  const status = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
  if (status < 500) return new OxpError('The request is not valid', { status, developerMessage: error.message });
  return new OxpError('The server failed', { status: 500 });
}
