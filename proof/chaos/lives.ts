import { setTimeout as pause } from 'node:timers/promises';
import { type NodeServer, startModule } from '../../bench/child.ts';
import type { ServerLog } from './server-log.ts';

// Little enough that large results hurt a server that keeps too many of them.
const HEAP_MB = 80;
const STOP_MS = 30_000;

/** The processes of the server, one after the other, on one port. */
export class Lives implements Disposable {
  /** Of the processes; what they log has faults of its own. */
  readonly faults: string[] = [];
  /** Those that ended without a chance to clean up, and when. */
  readonly killed: Map<number, number> = new Map();
  readonly #ledger: string;
  readonly #log: ServerLog;
  #server: NodeServer | undefined;
  #count = 0;
  /** How the present one may end. */
  #expectedEnd: number | NodeJS.Signals | undefined;

  constructor(ledger: string, log: ServerLog) {
    this.#ledger = ledger;
    this.#log = log;
  }

  get server(): NodeServer {
    if (this.#server === undefined) throw new Error('the server has not begun');
    return this.#server;
  }

  get port(): number {
    return this.server.port;
  }

  async begin(): Promise<void> {
    this.#count += 1;
    const life = this.#count;
    const port = this.#server?.port ?? 0;
    this.#expectedEnd = undefined;
    this.#server = await startModule(new URL('target.ts', import.meta.url), {
      execArgv: ['--expose-gc', `--max-old-space-size=${HEAP_MB}`],
      env: { LEDGER: this.#ledger, LIFE: String(life), PORT: String(port) },
      onOutput: this.#log.reader(life),
    });
    void this.#server.exited.then((how) => {
      if (how !== this.#expectedEnd) this.faults.push(`life ${life} of the server ended with ${how}`);
    });
  }

  /** Tells the server to stop and waits until it has. */
  async stop(): Promise<void> {
    this.#expectedEnd = 0;
    this.server.kill('SIGTERM');
    const late = pause(STOP_MS, 'late' as const, { ref: false });
    if ((await Promise.race([this.server.exited, late])) !== 'late') return;
    this.faults.push(`the server did not stop within ${STOP_MS} ms`);
    this.server.kill('SIGKILL');
    await this.server.exited;
  }

  /** Ends the server in the middle of whatever it does. */
  async kill(): Promise<void> {
    this.#expectedEnd = 'SIGKILL';
    this.killed.set(this.#count, Date.now());
    this.server.kill('SIGKILL');
    await this.server.exited;
  }

  [Symbol.dispose](): void {
    this.#expectedEnd = 'SIGKILL';
    this.#server?.kill('SIGKILL');
  }
}
