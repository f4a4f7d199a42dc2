import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { killAtTheEnd, type Run, untilPrinted, watch } from '../support/command.ts';

const PROGRAM = fileURLToPath(new URL('./appending.ts', import.meta.url));

/** A process that appends to a journal until it is stopped. */
export async function startAppending(folder: string, count: number | 'lines'): Promise<Run> {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, folder, String(count)]);
  killAtTheEnd(child);
  const run = watch(child);
  await untilPrinted(run, /^open$/m);
  return run;
}
