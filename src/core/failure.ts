import { type AuthorsErrorCode, EnvironmentError, type ErrorCode, type Thrown, TiltyardError } from './errors.ts';

/** An error as plain data, so that it can be kept, sent to another process, and told in the words of any protocol. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  /** What an author's code threw. */
  readonly thrown?: Thrown;
  /** A 4xx that the author chose with a SetupError. */
  readonly status?: number;
}

/** The plain data of an error. */
export function toFailure(error: TiltyardError): Failure {
  const { code, message } = error;
  if (!(error instanceof EnvironmentError)) return { code, message };
  const { thrown, status } = error;
  return status === undefined ? { code, message, thrown } : { code, message, thrown, status };
}

/** The error of plain data; its stack begins at the caller. What it tells of is in the log already. */
export function toFailureError(failure: Failure): TiltyardError {
  const { code, message, thrown, status } = failure;
  const error =
    thrown === undefined
      ? new TiltyardError(code, message)
      : new EnvironmentError(code as AuthorsErrorCode, message, { thrown: asError(thrown), status, logged: true });
  Error.captureStackTrace(error, toFailureError);
  return error;
}

function asError(thrown: Thrown): Error {
  return Object.assign(new Error(thrown.message), thrown);
}
