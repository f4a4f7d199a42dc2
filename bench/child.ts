import { fork } from 'node:child_process';
import { once } from 'node:events';

/** A server in a process of its own, so that it has a core to itself. */
export interface BenchServer extends Disposable {
  readonly port: number;
  /** Processor time used so far, which tells the cost of a call even on a busy machine. */
  cpuMs(): Promise<number>;
  /** Ends the process and waits until it has ended. */
  stop(): Promise<void>;
}

/** Starts one of bench/servers; its log lines are written, to nowhere. */
export async function startChild(name: string, execArgv: readonly string[] = []): Promise<BenchServer> {
  const child = fork(new URL(`./servers/${name}.ts`, import.meta.url), {
    execArgv: ['--import', 'tsx', ...execArgv],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message: { port: number }) => resolve(message.port));
    child.once('exit', (code) => reject(new Error(`${name} ended with code ${code}`)));
  });
  return {
    port,
    cpuMs: () =>
      new Promise((resolve) => {
        child.once('message', (message: { cpuMs: number }) => resolve(message.cpuMs));
        child.send('cpu');
      }),
    async stop() {
      child.kill('SIGINT');
      await once(child, 'exit');
    },
    [Symbol.dispose]: () => child.kill('SIGINT'),
  };
}
