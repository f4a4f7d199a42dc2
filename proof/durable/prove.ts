import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startCuttingProxy } from '../../test/support/cutting-proxy.ts';
import { History } from '../chaos/history.ts';
import { readLedger } from '../chaos/ledger.ts';
import { Lives } from '../chaos/lives.ts';
import { check, type Violation } from '../chaos/model.ts';
import type { Chronicle } from '../chaos/record.ts';
import { ServerLog } from '../chaos/server-log.ts';
import { random } from '../random.ts';
import { type Death, Deaths } from './deaths.ts';
import { DURABLE_RULES } from './model.ts';
import { cuts, type PlayOptions, type Progress, play } from './players.ts';
import { type StandIn, withStandIns } from './stand-ins.ts';

/** What happens; the same seed makes the same choices. */
export interface DurableOptions extends PlayOptions {
  /** One after the other, spread over the episodes. */
  readonly deaths: readonly Death[];
  /** How many processes run the code of environments. 0: that of the server. */
  readonly workers: number;
  /** What is put in the place of files of src/. */
  readonly standIns?: readonly StandIn[];
  readonly onProgress?: (line: string) => void;
}

/** What was proven, or not. */
export interface DurableProof {
  readonly chronicle: Chronicle;
  readonly violations: readonly Violation[];
  /** What happened to the server as a whole that must not. */
  readonly faults: readonly string[];
  readonly episodes: number;
}

/** Plays episodes while the processes that run them are killed, and holds all that happened against the model. */
export async function proveDurable(options: DurableOptions): Promise<DurableProof> {
  const folder = await mkdtemp(join(tmpdir(), 'tiltyard-durable-'));
  try {
    return await prove(options, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function prove(options: DurableOptions, folder: string): Promise<DurableProof> {
  const { seed, workers, standIns = [] } = options;
  const history = new History();
  const log = new ServerLog((id) => history.tokenOf(id));
  const ledger = join(folder, 'ledger');
  const { execArgv, env } = withStandIns(standIns);
  const program = {
    module: new URL('target.ts', import.meta.url),
    execArgv,
    env: { ...env, LEDGER: ledger, JOURNAL: join(folder, 'journal'), WORKERS: String(workers) },
  };
  using lives = new Lives(program, log);
  await lives.begin();
  const proxy = await startCuttingProxy(lives.port, { cutAfter: cuts(seed) });
  const deaths = new Deaths(lives, random(seed));
  const progress = { begun: 0, isOver: false };
  const dying = die(options, deaths, progress).finally(async () => {
    await deaths.revive();
    progress.isOver = true;
  });
  const stage = { port: lives.port, cuttingPort: proxy.port, history };
  await Promise.all([dying, play(options, stage, progress)]);
  await proxy.close();
  await lives.stop();
  const server = await readLedger(ledger);
  const { killedPids, stops } = deaths;
  const chronicle = { server, client: history.events, log: log.events, killed: lives.killed, killedPids, stops };
  const faults = [...lives.faults, ...log.faults, ...deaths.faults];
  return { chronicle, violations: check(chronicle, DURABLE_RULES), faults, episodes: progress.begun };
}

async function die(
  { seed, episodes, deaths, onProgress }: DurableOptions,
  bringer: Deaths,
  progress: Progress,
): Promise<void> {
  const choices = random(seed + 1);
  for (const [index, death] of deaths.entries()) {
    // A failpoint is reached by itself; the others come when their share of the episodes has been played.
    const share = typeof death === 'string' ? (episodes / (deaths.length + 1)) * (index + 0.5 + choices.next()) : 0;
    while (progress.begun < share) await pause(10);
    await pause(choices.below(200));
    await bringer.bring(death);
    const what = typeof death === 'string' ? death : `${death.moment} ${death.step}`;
    onProgress?.(`death ${index + 1} of ${deaths.length} (${what}), ${progress.begun} episodes`);
  }
}
