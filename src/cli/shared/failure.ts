/** What exit codes mean, for all commands. */
export const EXIT_CODES = {
  ok: 0,
  /** What was asked for did not succeed: a check failed, a server could not be reached. */
  failed: 1,
  /** The command line, or an environment variable, was wrong; nothing was done. */
  usage: 2,
  /** Ended by Ctrl-C, as shells report it. */
  interrupted: 130,
} as const;

/** A failure with an exit code of its own; its message is all that a person sees, so it says what to do. */
export class Failure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT_CODES.failed, options: ErrorOptions = {}) {
    super(message, options);
    this.name = 'Failure';
    this.exitCode = exitCode;
  }
}

/** A command line, or an environment variable, that cannot be meant. */
export function misuse(message: string): Failure {
  return new Failure(message, EXIT_CODES.usage);
}
