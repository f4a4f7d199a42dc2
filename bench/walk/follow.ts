import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { CallKind } from './process.ts';
import type { Walk } from './walk.ts';

/** Follows a call through the built package, in a process of its own. */
export async function followCall(kind: CallKind): Promise<Walk> {
  // The server logs to standard output, as it does everywhere; nobody wants to read it here.
  const child = fork(new URL('./process.ts', import.meta.url), [kind], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`the call could not be followed: its process ended with code ${code}`);
  });
  const [walk] = await Promise.race([once(child, 'message'), failed]);
  return walk as Walk;
}
