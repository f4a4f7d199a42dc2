import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { startModule } from '../../bench/child.ts';

/** What attacks a server, and what goes on meanwhile. */
export interface SiegeOptions {
  readonly attacks: readonly string[];
  /** Plays honest episodes until it is told to stop, and tells what went wrong with them. */
  readonly honest: (url: string, isOver: () => boolean) => Promise<HonestResult>;
  readonly onProgress?: (line: string) => void;
}

/** What came of the honest episodes. */
export interface HonestResult {
  readonly episodes: number;
  readonly failures: readonly string[];
}

/** What was proven, or not. */
export interface SiegeProof extends HonestResult {
  /** What each attack saw. */
  readonly seen: ReadonlyMap<string, string>;
  /** How the server ended; undefined if it lives. */
  readonly ended: number | string | undefined;
  readonly slowestHealthMs: number;
  /** The most memory that the server had of the system, in bytes. */
  readonly peakBytes: number;
}

/** The heap that the server gets. */
export const HEAP_MB = 512;

// How long attackers hold what they have, when all of them have done what they can.
const HOLD_MS = 2_000;

/** Attacks a server with a small heap in every given way at once, beside honest episodes. */
export async function proveSiege({ attacks, honest, onProgress = () => {} }: SiegeOptions): Promise<SiegeProof> {
  using server = await startModule(new URL('target.ts', import.meta.url), {
    execArgv: [`--max-old-space-size=${HEAP_MB}`],
  });
  let ended: number | string | undefined;
  void server.exited.then((how) => {
    ended = how;
  });
  let isOver = false;
  const url = `http://127.0.0.1:${server.port}`;
  const watched = watch(server.pid, url, () => isOver || ended !== undefined);
  const played = honest(url, () => isOver || ended !== undefined);
  const besiegers = attacks.map((name) => besiege(name, server.port));
  const seen = new Map<string, string>();
  const fought = Promise.all(
    besiegers.map(async ({ name, done }) => {
      seen.set(name, await done);
      onProgress(`${name}: ${seen.get(name)}`);
    }),
  );
  await Promise.race([fought, server.exited]);
  await Promise.race([pause(HOLD_MS), server.exited]);
  isOver = true;
  const [{ slowestHealthMs, peakBytes }, result] = await Promise.all([watched, played]);
  for (const { child } of besiegers) child.kill('SIGKILL');
  return { ...result, seen, ended, slowestHealthMs, peakBytes };
}

interface Besieger {
  readonly name: string;
  readonly child: ChildProcess;
  /** What the attack saw, once it can do no more. */
  readonly done: Promise<string>;
}

function besiege(name: string, port: number): Besieger {
  const child = fork(new URL('attacker.ts', import.meta.url), {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, PORT: String(port), ATTACK: name },
  });
  const done = new Promise<string>((resolve, reject) => {
    child.once('message', (seen) => resolve(String(seen)));
    child.once('exit', (code) => reject(new Error(`the attack '${name}' ended with ${code}`)));
  });
  // It is ended on purpose when all is over.
  done.catch(() => {});
  return { name, child, done };
}

interface Watched {
  readonly slowestHealthMs: number;
  readonly peakBytes: number;
}

/** Asks for the server's health again and again. */
async function watch(pid: number, url: string, isOver: () => boolean): Promise<Watched> {
  let slowestHealthMs = 0;
  while (!isOver()) {
    const asked = performance.now();
    await fetch(`${url}/health`)
      .then((response) => response.text())
      .catch(() => {});
    slowestHealthMs = Math.max(slowestHealthMs, performance.now() - asked);
    await pause(50);
  }
  return { slowestHealthMs, peakBytes: await peakOf(pid) };
}

async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}
