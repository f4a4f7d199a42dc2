import { fork } from 'node:child_process';
import { once } from 'node:events';
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
}

/** Starts one of bench/servers; its log lines are written, to nowhere. */
export function startChild(name: string, execArgv: readonly string[] = []): Promise<NodeServer> {
  return startModule(new URL(`./servers/${name}.ts`, import.meta.url), { execArgv });
}

/** How a module is run. */
export interface ModuleOptions {
  readonly execArgv?: readonly string[];
  /** Gets what the process prints; otherwise nobody does. */
  readonly onOutput?: (text: string) => void;
}

/** Starts a module that announces where it listens. */
export async function startModule(module: URL, { execArgv = [], onOutput }: ModuleOptions = {}): Promise<NodeServer> {
  const name = module.pathname.split('/').at(-1);
  const child = fork(module, {
    execArgv: ['--import', 'tsx', ...execArgv],
    stdio: ['ignore', onOutput === undefined ? 'ignore' : 'pipe', 'inherit', 'ipc'],
  });
  child.stdout?.setEncoding('utf8').on('data', onOutput ?? (() => {}));
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message: { port: number }) => resolve(message.port));
    child.once('exit', (code) => reject(new Error(`${name} ended with code ${code}`)));
  });
  const ask = <Answer>(question: string) =>
    new Promise<Answer>((resolve) => {
      child.once('message', (message: { answer: Answer }) => resolve(message.answer));
      child.send(question);
    });
  return {
    port,
    cpuMs: () => ask('cpu'),
    liveBytes: () => ask('liveBytes'),
    async profile(work) {
      await ask('startProfile');
      await work();
      return await ask('stopProfile');
    },
    async stop() {
      child.kill('SIGINT');
      await once(child, 'exit');
    },
    [Symbol.dispose]: () => child.kill('SIGINT'),
  };
}
