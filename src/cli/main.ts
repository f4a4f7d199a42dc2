#!/usr/bin/env node
import { toError } from '../core/index.ts';
import { program } from './program.ts';

try {
  await program().parseAsync();
} catch (thrown) {
  process.stderr.write(`tiltyard: ${describe(toError(thrown))}\n`);
  process.exitCode = 1;
}

// The chain of causes says what a module's own mistake was; a stack would bury it.
function describe(error: Error): string {
  const cause = error.cause === undefined ? '' : `\n  because: ${describe(toError(error.cause))}`;
  return error.message + cause;
}
