import { CommanderError } from 'commander';
import { program } from './program.ts';
import { EXIT_CODES } from './shared/failure.ts';

/** Runs a command line to its end, says what went wrong, and returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    await program().parseAsync(args, { from: 'user' });
    return EXIT_CODES.ok;
  } catch (thrown) {
    const { describe, exitCodeOf } = await import('./shared/describe-failure.ts');
    const { processTerminal } = await import('./shared/terminal.ts');
    // Commander has said what was wrong already.
    if (!(thrown instanceof CommanderError)) {
      const { note, noteColors } = processTerminal();
      note(`tiltyard: ${describe(thrown, noteColors)}`);
    }
    return exitCodeOf(thrown);
  }
}
