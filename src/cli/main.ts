#!/usr/bin/env node
import { CommanderError } from 'commander';
import { describe, exitCodeOf } from './failure.ts';
import { program } from './program.ts';

try {
  await program().parseAsync();
} catch (thrown) {
  // Commander has said what was wrong already.
  if (!(thrown instanceof CommanderError)) process.stderr.write(`tiltyard: ${describe(thrown)}\n`);
  process.exitCode = exitCodeOf(thrown);
}
