import fc from 'fast-check';
import { expect, test } from 'vitest';
import { catalog } from '../../src/core/index.ts';
import { type EpisodeRecord, JournalKeeper } from '../../src/durable/index.ts';
import { type Journal, MemoryJournal } from '../../src/journal/index.ts';
import {
  type CallEnding,
  DEFAULT_SESSION_OPTIONS,
  LocalHost,
  LocalRuntime,
  toldDigest,
} from '../../src/sessions/index.ts';
import { durableEnvironments } from '../hosts/durable-environments.ts';
import { SESSION } from '../support/host.ts';
import { toldOf } from './stand.ts';

/** Something that a client does; what it adds to the total of its episode. */
interface Move {
  readonly tool: string;
  readonly input: object;
  readonly adds: number;
}

/** A call that was told when there were so many records. */
interface Told extends Move {
  readonly id: string;
  readonly ending: CallEnding;
  readonly records: number;
}

const move = fc.oneof(
  fc.integer({ min: 1, max: 9 }).map((n): Move => ({ tool: 'add', input: { n }, adds: n })),
  // Changes the state, and fails.
  fc.constant<Move>({ tool: 'report', input: {}, adds: 1 }),
  fc.constantFrom<Move>(...['roll', 'mail', 'put', 'prompt', 'nonsense'].map((tool) => ({ tool, input: {}, adds: 0 }))),
);

test('J5: cut off after any of its records, a session goes on as it was then', { timeout: 240_000 }, async () => {
  const property = fc.asyncProperty(
    fc.constantFrom('replayed', 'saved'),
    fc.array(move, { minLength: 1, maxLength: 7 }),
    async (environment, moves) => {
      const { records, told } = await play(environment, moves);
      for (let count = 1; count <= records.length; count += 1) await goOn(records.slice(0, count), told);
    },
  );
  await fc.assert(property, { numRuns: 20 });
});

/** Plays an episode, and gives what was written of it. */
async function play(environment: string, moves: readonly Move[]) {
  const journal = lastingJournal();
  const records: EpisodeRecord[] = [];
  const { append, replace } = journal;
  // Now, since a journal forgets older states.
  journal.append = (key, record, lastSeq) => {
    records.push(record);
    return append.call(journal, key, record, lastSeq);
  };
  journal.replace = (key, record) => {
    if (record !== undefined) records.push(record);
    return replace.call(journal, key, record);
  };
  const host = hostOf(journal);
  await host.create(SESSION, { environment, choice: { task: {} }, secrets: {} });
  const told: Told[] = [];
  for (const [index, each] of moves.entries()) {
    const id = `call ${index}`;
    if (each.tool === 'prompt') await host.prompt(SESSION);
    else told.push({ ...each, id, ending: await call(host, each, id), records: records.length });
  }
  return { records: [...records], told };
}

/** Lets another server go on from some of the records. */
async function goOn(records: readonly EpisodeRecord[], told: readonly Told[]): Promise<void> {
  const journal = lastingJournal();
  for (const [index, record] of records.entries()) await journal.append('s', record, index);
  const host = hostOf(journal);
  await host.recover();
  const known = told.filter((each) => each.records <= records.length);
  for (const each of known) expect(toldDigest(await call(host, each, each.id))).toBe(toldDigest(each.ending));
  const total = known.reduce((sum, { adds }) => sum + adds, 0);
  expect(toldOf(await call(host, { tool: 'add', input: { n: 1 } }, 'next'))).toBe(`${total + 1}`);
  // One that had begun, and of which it was not yet known how it ended.
  const last = records.at(-1);
  const begun = last?.type === 'begin' ? told.find(({ id }) => id === last.call.id) : undefined;
  if (begun !== undefined)
    expect(toldOf(await call(host, begun, begun.id))).toBe(begun.tool === 'mail' ? 'outcome_unknown' : 'put');
  await host.drain();
}

/** A journal that stands for one on disk: another host reads what the first one has left. */
function lastingJournal(): Journal<EpisodeRecord> {
  return Object.assign(new MemoryJournal<EpisodeRecord>(), { isPersistent: true });
}

function hostOf(journal: Journal<EpisodeRecord>): LocalHost {
  const options = { ...DEFAULT_SESSION_OPTIONS, drainMs: 0 };
  const runtime = new LocalRuntime(catalog(durableEnvironments()), options);
  return new LocalHost(runtime, options, new JournalKeeper(runtime, options, { journal }));
}

function call(host: LocalHost, { tool, input }: Pick<Move, 'tool' | 'input'>, taskId: string): Promise<CallEnding> {
  return new Promise((resolve) => {
    const request = { name: tool, input: structuredClone(input), taskId };
    host.call(SESSION, request, (event) => void (event.kind === 'settled' && resolve(event.ending)));
  });
}
