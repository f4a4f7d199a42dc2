import { readFileSync } from 'node:fs';
import type { Lives } from '../chaos/lives.ts';
import type { Random } from '../random.ts';
import { type Failpoint, toText } from './failpoints.ts';

/** How a process of the server ends: somebody kills one of its workers, or all of it, or tells it to stop; or it dies at a failpoint. */
export type Death = 'worker' | 'server' | 'stop' | Failpoint;

// Of a machine that is busy with other things.
const PATIENCE_MS = 60_000;
const REACHED_MS = 20_000;
const ATTEMPTS = 3;
const LOOK_MS = 20;

/** Brings death to the processes of a server, and starts them again. */
export class Deaths {
  readonly #lives: Lives;
  readonly #random: Random;
  /** When processes that ran the author's code were killed. */
  readonly killedPids = new Map<number, number>();
  /** When servers were told to stop. */
  readonly stops: number[] = [];
  /** What was to happen, and did not. */
  readonly faults: string[] = [];
  #isDown = false;

  constructor(lives: Lives, random: Random) {
    this.#lives = lives;
    this.#random = random;
  }

  /** Lets it happen. Afterwards a server runs, except after a failpoint: then `revive` starts one, or the next death. */
  async bring(death: Death): Promise<void> {
    if (typeof death === 'object') {
      if (!this.#isDown) await this.#killServer();
      return this.#dieAt(death);
    }
    await this.revive();
    if (death === 'worker') return this.#killWorker();
    if (death === 'server') await this.#killServer();
    else await this.#stop();
    await this.revive();
  }

  /** Starts a server if none runs. */
  async revive(): Promise<void> {
    if (this.#isDown) await this.#lives.begin();
    this.#isDown = false;
  }

  async #stop(): Promise<void> {
    this.stops.push(Date.now());
    this.#isDown = true;
    await this.#lives.stop();
  }

  async #killServer(): Promise<void> {
    const at = Date.now();
    const pids = [this.#lives.server.pid, ...workersOf(this.#lives.server.pid)];
    this.#isDown = true;
    await this.#lives.kill();
    for (const pid of pids) this.killedPids.set(pid, at);
    await Promise.all(pids.map((pid) => this.#untilGone(pid)));
  }

  #killWorker(): void {
    const pids = workersOf(this.#lives.server.pid).filter((pid) => !this.killedPids.has(pid));
    // The one before may not have been replaced yet.
    if (pids.length === 0) return;
    const pid = this.#random.pick(pids);
    this.killedPids.set(pid, Date.now());
    process.kill(pid, 'SIGKILL');
  }

  async #dieAt(failpoint: Failpoint): Promise<void> {
    this.#isDown = true;
    // Some steps are taken only if the server before left something to do.
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) if (await this.#diesAt(failpoint)) return;
    this.faults.push(`nothing came to the failpoint '${toText(failpoint)}'`);
  }

  async #diesAt(failpoint: Failpoint): Promise<boolean> {
    const lives = this.#lives;
    // Some die before they listen.
    const hasBegun = await lives.begin({ FAILPOINT: toText(failpoint) }).then(
      () => true,
      () => false,
    );
    lives.killed.set(lives.count, Date.now());
    if (!hasBegun) return true;
    const { pid, exited } = lives.server;
    lives.expectDeath();
    const end = await within(exited, REACHED_MS);
    if (end === undefined) await lives.kill();
    lives.killed.set(lives.count, Date.now());
    this.killedPids.set(pid, Date.now());
    return end !== undefined;
  }

  /** H7: no worker outlives its server for long. */
  async #untilGone(pid: number): Promise<void> {
    for (let waited = 0; isThere(pid); waited += LOOK_MS) {
      if (waited > PATIENCE_MS) return void this.faults.push(`process ${pid} has outlived its server`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}

/** The processes that run the code of a server's environments. */
function workersOf(server: number): number[] {
  const children = readFileSync(`/proc/${server}/task/${server}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number);
  return children.filter((pid) => readText(`/proc/${pid}/cmdline`).includes('workers/process'));
}

function isThere(pid: number): boolean {
  const status = readText(`/proc/${pid}/status`);
  return status !== '' && !/^State:\s+[ZX]/m.test(status);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // it has ended
  }
}

async function within<Value>(work: Promise<Value>, ms: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
