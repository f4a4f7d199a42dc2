import { setTimeout as pause } from 'node:timers/promises';
import { type NodeServer, startModule } from '../../bench/child.ts';
import { freePort } from '../../test/support/free-port.ts';
import type { ServerLog } from './server-log.ts';

const STOP_MS = 30_000;

/** What is run: a module that announces where it listens. It is told by LIFE which of its processes it is, and by PORT where to listen. */
export interface Program {
  readonly module: URL;
  readonly execArgv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The processes of the server, one after the other, on one port. */
export class Lives implements Disposable {
  /** Of the processes; what they log has faults of its own. */
  readonly faults: string[] = [];
  /** Those that ended without a chance to clean up, and when. */
  readonly killed: Map<number, number> = new Map();
  readonly #program: Program;
  readonly #log: ServerLog;
  #server: NodeServer | undefined;
  #count = 0;
  /** How the present one may end. */
  #expectedEnd: number | NodeJS.Signals | undefined;

  constructor(program: Program, log: ServerLog) {
    this.#program = program;
    this.#log = log;
  }

  /** Which of the processes is the present one. */
  get count(): number {
    return this.#count;
  }

  get server(): NodeServer {
    if (this.#server === undefined) throw new Error('the server has not begun');
    return this.#server;
  }

  get port(): number {
    return this.server.port;
  }

  /** Starts the next one; `extra` are variables of its own. */
  async begin(extra: Readonly<Record<string, string>> = {}): Promise<void> {
    this.#count += 1;
    const life = this.#count;
    const port = this.#server?.port ?? (await freePort());
    this.#expectedEnd = undefined;
    const { module, execArgv, env } = this.#program;
    this.#server = await startModule(module, {
      execArgv,
      env: { ...env, ...extra, LIFE: String(life), PORT: String(port) },
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
    this.expectDeath();
    this.killed.set(this.#count, Date.now());
    this.server.kill('SIGKILL');
    await this.server.exited;
  }

  /** The server is about to end itself, as if it were killed. */
  expectDeath(): void {
    this.#expectedEnd = 'SIGKILL';
  }

  [Symbol.dispose](): void {
    this.#expectedEnd = 'SIGKILL';
    this.#server?.kill('SIGKILL');
  }
}
