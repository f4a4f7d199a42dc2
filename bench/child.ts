import { fork } from 'node:child_process';
import type { Profiler } from 'node:inspector';

/** A server in a process of its own, so that it has a core to itself. */
export interface BenchServer extends Disposable {
  readonly port: number;
  /** Processor time used so far, which tells the cost of a call even on a busy machine. */
  cpuMs(): Promise<number>;
  /** Ends the process and waits until it has ended. */
  stop(): Promise<void>;
}

/** A server of ours, which tells more. */
export interface NodeServer extends BenchServer {
  /** Notes which functions run while `work` does. */
  profile(work: () => Promise<unknown>): Promise<Profiler.Profile>;
  /** What is in use after everything unused was freed; the server must have been started with --expose-gc. */
  liveBytes(): Promise<number>;
  /** What the process holds of the system. */
  held(): Promise<Held>;
  /** How the process ended, once all that it printed is read: its code, or the signal that ended it. */
  readonly exited: Promise<number | NodeJS.Signals>;
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
}

/** What a process holds of the system. */
export interface Held {
  /** Open files, sockets among them. */
  readonly descriptors: number;
  /** What keeps the process alive, by kind: timers, sockets, servers. */
  readonly resources: Readonly<Record<string, number>>;
}

/** Starts one of bench/servers; its log lines are written, to nowhere. */
export function startChild(name: string, execArgv: readonly string[] = []): Promise<NodeServer> {
  return startModule(new URL(`./servers/${name}.ts`, import.meta.url), { execArgv });
}

/** How a module is run. */
export interface ModuleOptions {
  readonly execArgv?: readonly string[];
  /** Variables besides those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Gets what the process prints; otherwise nobody does. */
  readonly onOutput?: (text: string) => void;
}

/** Starts a module that announces where it listens. */
export async function startModule(
  module: URL,
  { execArgv = [], env = {}, onOutput }: ModuleOptions = {},
): Promise<NodeServer> {
  const name = module.pathname.split('/').at(-1);
  const child = fork(module, {
    execArgv: ['--import', 'tsx', ...execArgv],
    env: { ...process.env, ...env },
    stdio: ['ignore', onOutput === undefined ? 'ignore' : 'pipe', 'inherit', 'ipc'],
  });
  child.stdout?.setEncoding('utf8').on('data', onOutput ?? (() => {}));
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message: { port: number }) => resolve(message.port));
    child.once('exit', (code) => reject(new Error(`${name} ended with code ${code}`)));
  });
  const exited = new Promise<number | NodeJS.Signals>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'SIGKILL')),
  );
  const ask = <Answer>(question: string) =>
    new Promise<Answer>((resolve, reject) => {
      child.once('message', (message: { answer: Answer }) => resolve(message.answer));
      void exited.then((how) => reject(new Error(`${name} ended with ${how}`)));
      child.send(question, (error) => error !== null && reject(error));
    });
  return {
    port,
    cpuMs: () => ask('cpu'),
    liveBytes: () => ask('liveBytes'),
    held: () => ask('held'),
    exited,
    pid: child.pid ?? 0,
    kill: (signal) => void child.kill(signal),
    async profile(work) {
      await ask('startProfile');
      await work();
      return await ask('stopProfile');
    },
    async stop() {
      child.kill('SIGINT');
      await exited;
    },
    [Symbol.dispose]: () => child.kill('SIGINT'),
  };
}
