import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Held } from '../../bench/child.ts';
import { type CuttingProxy, startCuttingProxy } from '../../test/support/cutting-proxy.ts';
import { random } from '../random.ts';
import { playWithClient, type Stage } from './client-actor.ts';
import type { ServerEvent } from './events.ts';
import { History } from './history.ts';
import { readLedger } from './ledger.ts';
import { Lives } from './lives.ts';
import { check, type Violation } from './model.ts';
import { playOxp } from './oxp-actor.ts';
import { playRaw } from './raw-actor.ts';
import type { Chronicle } from './record.ts';
import { ServerLog } from './server-log.ts';

/** How much chaos; the same seed makes the same choices. */
export interface ChaosOptions {
  readonly seed: number;
  readonly durationMs: number;
  /** How many clients of each kind there are at a time. */
  readonly clients: number;
  /** How often the server ends, and is started again, meanwhile: killed, and told to stop, in turns. */
  readonly restarts: number;
  readonly onProgress?: (line: string) => void;
}

/** What was proven, or not. */
export interface ChaosProof {
  readonly chronicle: Chronicle;
  readonly violations: readonly Violation[];
  /** What happened to the server as a whole that must not. */
  readonly faults: readonly string[];
  readonly connections: number;
  readonly cuts: number;
  readonly held: { readonly before: Held; readonly after: Held };
}

// Little enough that large results hurt a server that keeps too many of them.
const HEAP_MB = 80;

// Much longer than anything in the target lasts: idle sessions, kept results, whoever ignores its signal.
const SETTLE_MS = 20_000;
const LOOK_MS = 200;

const ACTORS = { client: playWithClient, raw: playRaw, oxp: playOxp } as const;

/** Lets many clients misbehave on a server that misbehaves, and holds all that happened against the model. */
export async function proveChaos(options: ChaosOptions): Promise<ChaosProof> {
  const folder = await mkdtemp(join(tmpdir(), 'tiltyard-chaos-'));
  try {
    return await prove(options, join(folder, 'ledger'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function prove(options: ChaosOptions, ledger: string): Promise<ChaosProof> {
  const history = new History();
  const log = new ServerLog((id) => history.tokenOf(id));
  const program = {
    module: new URL('target.ts', import.meta.url),
    execArgv: ['--expose-gc', `--max-old-space-size=${HEAP_MB}`],
    env: { LEDGER: ledger },
  };
  using lives = new Lives(program, log);
  await lives.begin();
  const before = await lives.server.held();
  const proxy = await startCuttingProxy(lives.port, { cutAfter: cuts(options.seed) });
  await Promise.all([act(options, lives, { history, proxy }), restart(options, lives)]);
  const { connections, cuts: cut } = proxy;
  await proxy.close();
  options.onProgress?.('waiting until everything has expired');
  const { after, faults: left } = await settle(before, lives, ledger);
  await lives.stop();
  const { killed } = lives;
  const chronicle = { server: await readLedger(ledger), client: history.events, log: log.events, killed };
  const faults = [...lives.faults, ...log.faults, ...left];
  return { chronicle, violations: check(chronicle), faults, connections, cuts: cut, held: { before, after } };
}

async function act(
  { seed, durationMs, clients, onProgress }: ChaosOptions,
  lives: Lives,
  { history, proxy }: { history: History; proxy: CuttingProxy },
): Promise<void> {
  const until = performance.now() + durationMs;
  const report = setInterval(
    () => onProgress?.(`${Math.ceil((until - performance.now()) / 1000)} s left, ${history.events.length} events`),
    10_000,
  );
  const play = async (kind: keyof typeof ACTORS, index: number) => {
    for (let number = 0; performance.now() < until; number += 1) {
      // Choices of its own for each episode: what happens in one does not change those of the next.
      const choices = random(seed * 1_000_003 + Object.keys(ACTORS).indexOf(kind) * 500_009 + index * 10_007 + number);
      const stage: Stage = { port: lives.port, cuttingPort: proxy.port, random: choices, history };
      await ACTORS[kind](stage, `${kind}-${index}-${number}`);
      await pause(choices.below(20));
    }
  };
  const kinds = Object.keys(ACTORS) as (keyof typeof ACTORS)[];
  try {
    await Promise.all(kinds.flatMap((kind) => Array.from({ length: clients }, (_, index) => play(kind, index))));
  } finally {
    clearInterval(report);
  }
}

async function restart({ seed, durationMs, restarts, onProgress }: ChaosOptions, lives: Lives): Promise<void> {
  const choices = random(seed);
  const begun = performance.now();
  for (let count = 0; count < restarts; count += 1) {
    // Each in its own part of the time, however long the one before took.
    const at = begun + (durationMs / (restarts + 1)) * (count + 0.5 + choices.next());
    await pause(Math.max(0, at - performance.now()));
    // With nobody left there is nothing to disturb.
    if (performance.now() > begun + durationMs) return;
    if (count % 2 === 0) await lives.kill();
    else await lives.stop();
    await lives.begin();
    onProgress?.(`restart ${count + 1} of ${restarts}`);
  }
}

// Half of the connections are cut: after as many bytes as their turn says, so that each byte has one, or anywhere.
function cuts(seed: number): (connection: number) => number | undefined {
  const SWEPT = 600;
  return (connection) => {
    if (connection % 2 === 0) return undefined;
    if (connection % 4 === 1) return (connection >> 2) % SWEPT;
    const choices = random(seed + connection);
    return choices.below(choices.chance(0.7) ? 1_000 : 300_000);
  };
}

/** Waits until the server has ended everything by itself, and says what it has not. */
async function settle(before: Held, lives: Lives, ledger: string): Promise<{ after: Held; faults: string[] }> {
  const until = performance.now() + SETTLE_MS;
  for (;;) {
    // A server that has ended by itself holds nothing, and that it has is noted already.
    const after = await lives.server.held().catch(() => undefined);
    if (after === undefined) return { after: before, faults: [] };
    const faults = [...leftovers(before, after), ...openEpisodes(await readLedger(ledger), lives.killed)];
    if (faults.length === 0 || performance.now() > until) return { after, faults };
    await pause(LOOK_MS);
  }
}

function openEpisodes(events: readonly ServerEvent[], killed: ReadonlyMap<number, number>): string[] {
  const open = new Set<string>();
  for (const { what, episode, life } of events) {
    if (killed.has(life)) continue;
    if (what === 'setup') open.add(episode);
    if (what === 'torn down') open.delete(episode);
  }
  return open.size === 0 ? [] : [`${open.size} sessions have not ended: ${[...open].slice(0, 5).join(', ')}`];
}

function leftovers(before: Held, after: Held): string[] {
  const faults: string[] = [];
  if (after.descriptors > before.descriptors)
    faults.push(`${after.descriptors} descriptors are open, ${before.descriptors} were before`);
  for (const [kind, count] of Object.entries(after.resources)) {
    const earlier = before.resources[kind] ?? 0;
    if (count > earlier) faults.push(`${count} of ${kind} are active, ${earlier} were before`);
  }
  return faults;
}
