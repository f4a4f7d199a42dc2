import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NodeServer, startModule } from '../child.ts';
import { type Contender, compare, ratioOf } from '../compare.ts';
import { addCalls, addCallsWithIds, createEpisodes } from '../requests.ts';
import { atLeastShare, type Verdict } from '../verdicts.ts';

const CONNECTIONS = 64;
const KEY = '5a'.repeat(32);

/** Calls whose episodes are written down, in several ways, beside those of which nothing is. */
export async function measureJournal(): Promise<Verdict[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tiltyard-bench-'));
  try {
    using none = await start({});
    using plain = await start({ JOURNAL: join(folder, 'plain') });
    using sealed = await start({ JOURNAL: join(folder, 'sealed'), JOURNAL_KEY: KEY });
    using synced = await start({ JOURNAL: join(folder, 'synced'), JOURNAL_SYNC: '1' });
    using unnamed = await start({ JOURNAL: join(folder, 'unnamed') });
    const title = 'J13: journal, 64 connections';
    const contenders = [
      await contender('no journal', none),
      await contender('journal', plain),
      await contender('encrypted', sealed),
      await contender('to the disk', synced),
      await contender('without task_id', unnamed, addCalls),
    ];
    const [without, kept] = await compare(contenders, { title, connections: CONNECTIONS, unit: 'calls' });
    if (!(without && kept)) return [];
    return [atLeastShare(`${title}: with against without`, ratioOf(kept, without), 0.75)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function start(env: Readonly<Record<string, string>>): Promise<NodeServer> {
  return startModule(new URL('../servers/journal.ts', import.meta.url), { env });
}

async function contender(name: string, server: NodeServer, toNext = addCallsWithIds): Promise<Contender> {
  return { name, server, next: toNext(await createEpisodes(server.port, CONNECTIONS)) };
}
