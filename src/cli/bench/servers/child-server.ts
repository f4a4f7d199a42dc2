import { fork } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from '../../shared/failure.ts';
import type { FromServer, ProcessUsage, ToServer } from './server-process.ts';

/** A module that is served by a process of its own. */
export interface ChildServer extends AsyncDisposable {
  readonly url: string;
  /** What it has used; the lag is that since the last question. Undefined when the process has ended. */
  usage(): Promise<ProcessUsage | undefined>;
}

const END_MS = 12_000;

/** Serves a module in a process of its own. */
export async function startChildServer(path: string): Promise<ChildServer> {
  // The same extension as this file: the sources run as TypeScript, the package as JavaScript.
  const file = fileURLToPath(new URL(`./server-process${extname(import.meta.url)}`, import.meta.url));
  // What the module prints goes to standard error: standard output has the result.
  const child = fork(file, [path], { stdio: ['ignore', 2, 2, 'ipc'] });
  const exited = once(child, 'exit');
  let hasExited = false;
  // However the command ends, nothing stays behind: code that loops does not hear that it shall end.
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  void exited.then(() => {
    hasExited = true;
    process.off('exit', kill);
  });
  const next = async (): Promise<FromServer | undefined> => {
    const controller = new AbortController();
    const message = once(child, 'message', { signal: controller.signal }).then(([sent]) => sent as FromServer);
    message.catch(() => {}); // aborted below, when the process has ended instead
    const first = await Promise.race([message, exited.then(() => undefined)]);
    controller.abort();
    return first;
  };
  const begun = await next();
  if (begun?.kind !== 'listening') {
    throw new Failure(begun?.kind === 'failed' ? begun.message : `${path} could not be served: its process ended`);
  }
  return {
    url: begun.url,
    async usage() {
      if (hasExited || !child.connected) return undefined;
      child.send('usage' satisfies ToServer);
      const answer = await next();
      return answer?.kind === 'usage' ? answer.usage : undefined;
    },
    async [Symbol.asyncDispose]() {
      if (hasExited) return;
      if (child.connected) child.disconnect();
      const timer = setTimeout(kill, END_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}
