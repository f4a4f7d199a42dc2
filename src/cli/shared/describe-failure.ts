import { CommanderError } from 'commander';
import { EXIT_CODES, Failure } from './failure.ts';
import { ModuleError } from './load-modules.ts';
import { describeProblem } from './module-problem.ts';
import { toSafeText } from './safe-text.ts';
import type { Colors } from './terminal.ts';

/** What went wrong, for a person: the place in the author's file, or the chain of causes; a stack would bury it. */
export function describe(thrown: unknown, colors: Colors): string {
  if (thrown instanceof ModuleError) return `${thrown.message}\n\n${describeProblem(thrown.problem, colors)}\n`;
  if (!(thrown instanceof Error)) return toSafeText(String(thrown));
  // A message may quote what a server said.
  const message = toSafeText(thrown.message);
  const cause = furtherCause(thrown);
  return cause === undefined ? message : `${message}\n  because: ${describe(cause, colors)}`;
}

/** The next cause that says more than the message, which often quotes the first. */
function furtherCause({ message, cause }: Error): unknown {
  return cause instanceof Error && message.includes(cause.message) ? furtherCause(cause) : cause;
}

/** The exit code that tells a script what kind of failure it was. */
export function exitCodeOf(thrown: unknown): number {
  if (thrown instanceof Failure) return thrown.exitCode;
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage;
  return EXIT_CODES.failed;
}
