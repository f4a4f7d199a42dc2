#!/usr/bin/env node
import { CommanderError } from 'commander';
import { describe, exitCodeOf } from './failure.ts';
import { program } from './program.ts';
import { processTerminal } from './shared/terminal.ts';

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  await program().parseAsync();
} catch (thrown) {
  // Commander has said what was wrong already.
  if (!(thrown instanceof CommanderError)) {
    const { note, noteColors } = processTerminal();
    note(`tiltyard: ${describe(thrown, noteColors)}`);
  }
  process.exitCode = exitCodeOf(thrown);
}
