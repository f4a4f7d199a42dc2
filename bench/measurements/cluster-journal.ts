import { openCluster, placeOf, type SharedJournal } from '../../src/cluster/index.ts';
import type { JournalRecord } from '../../src/journal/index.ts';
import { findNats } from '../../test/cluster/nats-programs.ts';
import { startNats } from '../../test/cluster/nats-servers.ts';
import { atMostSeconds, type Verdict } from '../verdicts.ts';

const EPISODES = 100_000;
const OPEN = 512;
const BODY = 'x'.repeat(800);
const AIM_MS = 30_000;

/** Writes a record for each of 100,000 episodes into NATS, and looks through them as nodes do: what a cluster can grow to. */
export async function measureClusterJournal(): Promise<Verdict[]> {
  const program = await findNats();
  if ('missing' in program) {
    process.stdout.write(`without the journal of a cluster: nats-server is needed, and ${program.missing}\n`);
    return [];
  }
  await using nats = await startNats(program.path, program.count);
  const cluster = await openCluster({ nats: nats.url, name: 'bench', keys: [] });
  try {
    const writingMs = await timeOf(() => fill(cluster.journal));
    const lookingMs = await timeOf(() => look(cluster.journal));
    const rate = Math.round((1_000 * EPISODES) / writingMs);
    process.stdout.write(
      `\njournal of a cluster, ${cluster.replicas} replicas: one process writes ${rate} records of 1 KB a second, with ${OPEN} on their way; ` +
        `to look through ${EPISODES} episodes takes ${(lookingMs / 1_000).toFixed(1)} s\n`,
    );
    return [atMostSeconds(`journal of a cluster: a look through ${EPISODES} episodes`, lookingMs, AIM_MS)];
  } finally {
    await cluster.close();
  }
}

async function fill(journal: SharedJournal<JournalRecord>): Promise<void> {
  let next = 0;
  const write = async () => {
    while (next < EPISODES) {
      next += 1;
      const record = { type: 'create', at: Date.now(), body: BODY };
      await journal.append(placeOf(`episode ${next}`), { record, node: 'bench-0', epoch: 1, id: 'bench-0 1 1' }, 0);
    }
  };
  await Promise.all(Array.from({ length: OPEN }, write));
}

async function look(journal: SharedJournal<JournalRecord>): Promise<void> {
  let count = 0;
  for await (const _entry of journal.scan()) count += 1;
  if (count !== EPISODES) throw new Error(`there are ${count} episodes, and should be ${EPISODES}`);
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
