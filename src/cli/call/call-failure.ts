import picocolors from 'picocolors';
import { describe } from '../shared/describe-failure.ts';
import { EXIT_CODES, Failure } from '../shared/failure.ts';
import { withoutForeignFrames } from '../shared/location.ts';

/** What `call --json` prints of a failure. */
export interface CallError {
  readonly message: string;
  readonly reason: string;
  readonly details?: readonly string[];
}

/** A call that was refused or failed, with what programs read of it. */
export class CallFailure extends Failure {
  readonly error: CallError;

  constructor(message: string, error: CallError) {
    super(message);
    this.error = error;
  }
}

/** Anything that ended a call, for programs. */
export function toCallError(thrown: unknown): CallError {
  if (thrown instanceof CallFailure) return thrown.error;
  return { message: describe(thrown, picocolors.createColors(false)).trimEnd(), reason: toReason(thrown) };
}

function toReason(thrown: unknown): string {
  const exitCode = thrown instanceof Failure ? thrown.exitCode : EXIT_CODES.failed;
  if (exitCode === EXIT_CODES.usage) return 'usage';
  return exitCode === EXIT_CODES.interrupted ? 'interrupted' : 'failed';
}

/** What a tool's failure says to a person: its kind behind the first line, and of a stack what the author wrote. */
export function failureText(message: string, reason: string): string {
  const [first = '', ...rest] = withoutForeignFrames(message).split('\n');
  return [`${first} (${reason})`, ...rest].join('\n');
}
