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

// One that does not answer within this time after Ctrl-C runs code that loops, and will not end by itself.
const SIGN_OF_LIFE_MS = 1_000;

/** Serves a module in a process of its own, which `signal` ends if code blocks it. */
export async function startChildServer(path: string, signal: AbortSignal): Promise<ChildServer> {
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
  const next = async <Kind extends FromServer['kind']>(...kinds: Kind[]): Promise<Sent<Kind> | undefined> => {
    let onMessage = (_message: FromServer) => {};
    const message = new Promise<Sent<Kind>>((resolve) => {
      onMessage = (sent) => void (kinds.some((kind) => kind === sent.kind) && resolve(sent as Sent<Kind>));
      child.on('message', onMessage);
    });
    const first = await Promise.race([message, exited.then(() => undefined)]);
    child.off('message', onMessage);
    return first;
  };
  const endIfBlocked = async () => {
    const timer = setTimeout(kill, SIGN_OF_LIFE_MS);
    if (child.connected) child.send('ping' satisfies ToServer);
    await next('alive');
    clearTimeout(timer);
  };
  signal.addEventListener('abort', endIfBlocked, { once: true });
  void exited.then(() => signal.removeEventListener('abort', endIfBlocked));
  const begun = await next('listening', 'failed');
  if (begun?.kind !== 'listening') {
    signal.throwIfAborted();
    throw new Failure(begun?.kind === 'failed' ? begun.message : `${path} could not be served: its process ended`);
  }
  return {
    url: begun.url,
    async usage() {
      if (hasExited || !child.connected) return undefined;
      child.send('usage' satisfies ToServer);
      return (await next('usage'))?.usage;
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

type Sent<Kind extends FromServer['kind']> = Extract<FromServer, { readonly kind: Kind }>;
