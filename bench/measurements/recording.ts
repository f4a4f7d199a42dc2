import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NodeServer, startModule } from '../child.ts';
import { type Compared, compare, ratioOf } from '../compare.ts';
import { addCallsWithIds, createEpisodes, type Next } from '../requests.ts';
import { atLeastShare, type Verdict } from '../verdicts.ts';
import { episode } from './episodes.ts';

const CONNECTIONS = 64;

// Recording may cost a tenth.
const SHARE = 0.9;

/** Calls and whole episodes that are recorded, beside those that are not. */
export async function measureRecording(): Promise<Verdict[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tiltyard-bench-'));
  try {
    using off = await start({});
    using on = await start({ RECORD: folder });
    const calls = await inTurns('calls', [off, on], async (server) =>
      addCallsWithIds(await createEpisodes(server.port, CONNECTIONS)),
    );
    // Without an aim: each is a file of its own, and how long it takes to make one is the system's affair.
    await inTurns('episodes', [off, on], async () => () => episode(crypto.randomUUID()));
    const [without, recorded] = calls;
    if (!(without && recorded)) return [];
    return [atLeastShare('recording: calls with against without', ratioOf(recorded, without), SHARE)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function inTurns(
  unit: string,
  [off, on]: readonly [NodeServer, NodeServer],
  toNext: (server: NodeServer) => Promise<Next>,
): Promise<Compared[]> {
  const contenders = [
    { name: 'not recorded', server: off, next: await toNext(off) },
    { name: 'recorded', server: on, next: await toNext(on) },
  ];
  return compare(contenders, { title: `recorded ${unit}, 64 connections`, connections: CONNECTIONS, unit });
}

function start(env: Readonly<Record<string, string>>): Promise<NodeServer> {
  return startModule(new URL('../servers/recording.ts', import.meta.url), { env });
}
