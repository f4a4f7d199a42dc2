import { onTestFinished } from 'vitest';
import { catalog, type Environment, environment } from '../../src/core/index.ts';
import { type EpisodeRecord, JournalKeeper } from '../../src/durable/index.ts';
import { type Journal, openJournal } from '../../src/journal/index.ts';
import { DEFAULT_SESSION_OPTIONS, LocalHost, LocalRuntime, type SessionOptions } from '../../src/sessions/index.ts';
import { newFolder } from '../journal/folders.ts';
import { describeHost } from './contract.ts';
import { environments } from './environments.ts';

/** The environments of the contract, as their author would declare them: to be built again, or not. */
const replayed: readonly Environment[] = environments.map((each) =>
  each.durability === undefined ? environment({ ...each, durability: 'replay' } as never) : each,
);

function keepingHost(
  given: readonly Environment[],
  changes: Partial<SessionOptions>,
  journal?: Journal<EpisodeRecord>,
): LocalHost {
  const options = { ...DEFAULT_SESSION_OPTIONS, ...changes };
  const runtime = new LocalRuntime(catalog(given), options);
  return new LocalHost(runtime, options, new JournalKeeper(runtime, options, { journal }));
}

async function onDisk(): Promise<Journal<EpisodeRecord>> {
  const journal = await openJournal<EpisodeRecord>(newFolder(), { keys: [Buffer.alloc(32, 1)] });
  onTestFinished(() => journal.close());
  return journal;
}

describeHost('a host that keeps episodes in memory', (options) => keepingHost(replayed, options));
describeHost('a host that keeps episodes on disk', async (options) => keepingHost(replayed, options, await onDisk()));
describeHost('a host that keeps on disk that nothing is kept', async (options) =>
  keepingHost(environments, options, await onDisk()),
);
