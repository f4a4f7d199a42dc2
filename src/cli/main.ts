#!/usr/bin/env node
import { CommanderError } from 'commander';
import { describe, exitCodeOf } from './failure.ts';
import { program } from './program.ts';
import { processTerminal } from './shared/terminal.ts';

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
