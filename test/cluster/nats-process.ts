import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

// Of a machine that is busy with other things.
const PATIENCE_MS = 60_000;
const READY = 'Server is ready';
const MOST_LOGGED = 8_000;

/** Starts a server of NATS, and waits until it takes connections. Rejects with what it logged if it ends before, or takes too long. */
export async function startNatsProcess(path: string, config: string): Promise<ChildProcess> {
  const child = spawn(path, ['-c', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  let [log, timer]: [string, NodeJS.Timeout?] = [''];
  try {
    await new Promise<void>((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`nats-server ${why}. It logged:\n${log}`));
      timer = setTimeout(() => fail(`was not ready after ${PATIENCE_MS} ms`), PATIENCE_MS);
      child.once('error', reject);
      child.once('close', (code, signal) => fail(`ended (${code ?? signal}) before it was ready`));
      // Heard for as long as it runs: a server whose log nobody reads would stand still.
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        log = (log + text).slice(-MOST_LOGGED);
        if (log.includes(READY)) resolve();
      });
    });
    return child;
  } catch (thrown) {
    child.kill('SIGKILL');
    await untilEnded(child);
    throw thrown;
  } finally {
    clearTimeout(timer);
  }
}

/** Waits until a process that was told to end has ended. */
export async function untilEnded(child: ChildProcess | undefined): Promise<void> {
  if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
