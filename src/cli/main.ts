#!/usr/bin/env node
import { CommanderError } from 'commander';
import { program } from './program.ts';
import { endWithReader } from './shared/output.ts';

endWithReader();

try {
  await program().parseAsync();
} catch (thrown) {
  const { describe, exitCodeOf } = await import('./shared/describe-failure.ts');
  const { processTerminal } = await import('./shared/terminal.ts');
  // Commander has said what was wrong already.
  if (!(thrown instanceof CommanderError)) {
    const { note, noteColors } = processTerminal();
    note(`tiltyard: ${describe(thrown, noteColors)}`);
  }
  process.exitCode = exitCodeOf(thrown);
}
