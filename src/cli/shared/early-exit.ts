import { writeSync } from 'node:fs';
import { EXIT_CODES } from './failure.ts';

/**
 * From now on, a process that ends before its command has a failure for its exit code: an author's module that calls
 * `process.exit(0)` must not make a check pass.
 */
export function failAtEarlyExit(): void {
  process.on('exit', fail);
}

/** The command has ended, or ends the process itself. */
export function allowExit(): void {
  process.off('exit', fail);
}

function fail(code: number): void {
  // Whatever else ends a process early says so, and has a code of its own.
  if (code !== EXIT_CODES.ok) return;
  process.exitCode = EXIT_CODES.failed;
  // At once: nothing that is only begun now gets done.
  writeSync(
    2,
    'tiltyard: the process was ended by code that it had loaded (process.exit), before the command was done\n',
  );
}
