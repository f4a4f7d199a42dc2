import { CommanderError } from 'commander';
import { EXIT_CODES, Failure } from './shared/failure.ts';
import { toSafeText } from './shared/safe-text.ts';

/** What went wrong, for a person: the chain of causes says what a module's own mistake was; a stack would bury it. */
export function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return toSafeText(String(thrown));
  // A message may quote what a server said.
  const message = toSafeText(thrown.message);
  return thrown.cause === undefined ? message : `${message}\n  because: ${describe(thrown.cause)}`;
}

/** The exit code that tells a script what kind of failure it was. */
export function exitCodeOf(thrown: unknown): number {
  if (thrown instanceof Failure) return thrown.exitCode;
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage;
  return EXIT_CODES.failed;
}
