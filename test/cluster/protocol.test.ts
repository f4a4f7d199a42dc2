import { expect, test } from 'vitest';
import {
  type Chapter,
  type Entry,
  HeldJournal,
  keeperOf,
  placeOf,
  processClock,
  Unreachable,
} from '../../src/cluster/index.ts';
import { environment, text } from '../../src/core/index.ts';
import type { CreateRecord, EpisodeRecord } from '../../src/durable/index.ts';
import { Fenced } from '../../src/journal/index.ts';
import { eventually } from '../support/clock.ts';
import { errorOf, hear, refOf, resultOf } from '../support/host.ts';
import { MemoryCluster } from './memory-cluster.ts';
import { MemorySharedJournal } from './memory-shared-journal.ts';

const CREATE: CreateRecord = {
  ...{ type: 'create', v: 1, at: 1, sid: 's', identity: '', environment: 'count', durability: 'replay', seed: 1 },
  ...{ request: '', start: { choice: { task: {} }, taskDigest: undefined, secrets: {} } },
};

const CLOSE: EpisodeRecord = { type: 'close', at: 2, sid: 's', identity: '', end: 'deleted' };

function journalOf(shared: MemorySharedJournal<EpisodeRecord>, node: string): HeldJournal {
  return new HeldJournal(shared, node, processClock);
}

function append(journal: HeldJournal, record: EpisodeRecord, lastSeq: number): Promise<number> {
  return journal.append('s', record, lastSeq, journal.tenancyOf('s'));
}

const count = environment({
  name: 'count',
  durability: 'replay',
  splits: { train: [{}] },
  setup: () => ({ total: 0 }),
  prompt: () => 'Count.',
  tools: {
    add: {
      input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      run(input, { state }) {
        state.total += (input as { n: number }).n;
        return text(String(state.total));
      },
    },
  },
});

test('of two nodes that take an episode at the same moment, one has it', async () => {
  const shared = new MemorySharedJournal<EpisodeRecord>();
  await journalOf(shared, 'dead').replace('s', CREATE);
  const nodes = ['one', 'two', 'three'].map((node) => journalOf(shared, node));
  const taken = await Promise.all(nodes.map((node) => node.claims.take(placeOf('s'))));
  expect(taken.filter((isOurs) => isOurs)).toHaveLength(1);
  const winner = nodes[taken.indexOf(true)] as HeldJournal;
  expect((await shared.last(placeOf('s')))?.node).toBe(winner.node);
  for (const node of nodes) expect(node.size).toBe(node === winner ? 1 : 0);
});

test('what a former owner writes is refused, and it hears that the episode is gone', async () => {
  const shared = new MemorySharedJournal<EpisodeRecord>();
  const [former, next] = [journalOf(shared, 'former'), journalOf(shared, 'next')];
  await former.replace('s', CREATE);
  const fenced: string[] = [];
  former.listen({ fenced: (key) => void fenced.push(key), appended() {} });
  expect(await next.claims.take(placeOf('s'))).toBe(true);
  await expect(append(former, { type: 'touch', at: 2 }, 1)).rejects.toThrow(Fenced);
  await expect(append(former, { type: 'touch', at: 2 }, 1)).rejects.toThrow(Fenced);
  expect(fenced).toEqual(['s']);
  expect(await append(next, { type: 'touch', at: 2 }, 2)).toBe(3);
});

test('what waits since before an episode was lost and taken again is refused, also if its number is the next one', async () => {
  const shared = new MemorySharedJournal<EpisodeRecord>();
  const [one, two] = [journalOf(shared, 'one'), journalOf(shared, 'two')];
  await one.replace('s', CREATE);
  const before = one.tenancyOf('s');
  await two.claims.take(placeOf('s'));
  await expect(append(one, { type: 'touch', at: 2 }, 1)).rejects.toThrow(Fenced);
  expect(await one.claims.take(placeOf('s'))).toBe(true);
  await expect(one.append('s', { type: 'touch', at: 2 }, 3, before)).rejects.toThrow(Fenced);
  for (const stale of [CLOSE, undefined]) await expect(one.replace('s', stale, before)).rejects.toThrow(Fenced);
  expect((await shared.read(placeOf('s')))?.records.map(({ type }) => type)).toEqual(['create', 'own', 'own']);
  expect(await append(one, { type: 'touch', at: 3 }, 3)).toBe(4);
});

test('a record whose acknowledgement was lost is there once', async () => {
  class Lossy extends MemorySharedJournal<EpisodeRecord> {
    losesNext = false;
    override async append(...args: Parameters<MemorySharedJournal<EpisodeRecord>['append']>): Promise<number> {
      const position = await super.append(...args);
      if (!this.losesNext) return position;
      this.losesNext = false;
      throw new Unreachable('the answer was lost');
    }
  }
  const shared = new Lossy();
  const journal = journalOf(shared, 'one');
  await journal.replace('s', CREATE);
  shared.losesNext = true;
  await expect(append(journal, { type: 'touch', at: 2 }, 1)).rejects.toThrow(Unreachable);
  expect(await append(journal, { type: 'touch', at: 2 }, 1)).toBe(2);
  expect((await shared.read(placeOf('s')))?.records.map(({ type }) => type)).toEqual(['create', 'touch']);
  // The same when somebody else was faster: then it is fenced.
  shared.losesNext = true;
  await expect(append(journal, { type: 'touch', at: 3 }, 2)).rejects.toThrow(Unreachable);
  await journalOf(shared, 'two').claims.take(placeOf('s'));
  await expect(append(journal, { type: 'touch', at: 3 }, 2)).rejects.toThrow(Fenced);
});

test('a session that ends while it is taken once more is not begun again from what was read before', async () => {
  class Late extends MemorySharedJournal<EpisodeRecord> {
    gate: Promise<void> | undefined;
    override async read(place: string): Promise<Chapter<EpisodeRecord> | undefined> {
      const chapter = await super.read(place);
      await this.gate;
      return chapter;
    }
  }
  const shared = new Late();
  const [former, next] = [journalOf(shared, 'former'), journalOf(shared, 'next')];
  await former.replace('s', CREATE);
  await former.claims.give('s', 'next');
  expect(await next.claims.take(placeOf('s'))).toBe(true);
  expect([...next.entries()]).toHaveLength(1);
  let open = () => {};
  shared.gate = new Promise((resolve) => {
    open = resolve;
  });
  const again = next.claims.take(placeOf('s'));
  await next.replace('s', CLOSE, next.tenancyOf('s'));
  open();
  await expect(again).rejects.toThrow(Unreachable);
  expect([...next.entries()]).toEqual([]);
  expect(next.episodes.has('s')).toBe(false);
});

test('a tombstone that is removed late does not take a new session of the same id along', async () => {
  const shared = new MemorySharedJournal<EpisodeRecord>();
  const [one, two] = [journalOf(shared, 'one'), journalOf(shared, 'two')];
  await one.replace('s', CREATE);
  await one.replace('s', CLOSE, one.tenancyOf('s'));
  const tombstone = (await shared.last(placeOf('s'))) as Entry;
  await two.beginAfter('s', tombstone, () => two.replace('s', CREATE));
  await one.replace('s', undefined, one.tenancyOf('s'));
  expect((await shared.read(placeOf('s')))?.records.map(({ type }) => type)).toEqual(['create']);
  expect(await append(two, { type: 'touch', at: 3 }, 1)).toBe(2);
});

test('a session that somebody asked for before it was used and ended elsewhere does not begin once more', async () => {
  const shared = new MemorySharedJournal<EpisodeRecord>();
  const [one, two] = [journalOf(shared, 'one'), journalOf(shared, 'two')];
  const nothing = { position: 0, epoch: 0 };
  await one.beginAfter('s', nothing, () => one.replace('s', CREATE));
  await one.replace('s', CLOSE, one.tenancyOf('s'));
  await expect(two.beginAfter('s', nothing, () => two.replace('s', CREATE))).rejects.toThrow(Fenced);
  expect((await shared.last(placeOf('s')))?.type).toBe('close');
});

test('a session that is begun once more with old knowledge is not taken for a record whose acknowledgement was lost', async () => {
  const shared = new MemorySharedJournal<EpisodeRecord>();
  const one = journalOf(shared, 'one');
  const begin = (seed: number) =>
    one.beginAfter('s', { position: 0, epoch: 0 }, () => one.replace('s', { ...CREATE, seed }));
  await begin(1);
  await expect(begin(2)).rejects.toThrow(Fenced);
  expect(await append(one, { type: 'touch', at: 2 }, 1)).toBe(2);
  expect((await shared.read(placeOf('s')))?.records).toMatchObject([{ type: 'create', seed: 1 }, { type: 'touch' }]);
});

test('a session that comes back to a node is set up there when it is torn down, and not before', async () => {
  const happened: string[] = [];
  let letGo = () => {};
  const released = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const slow = environment({
    name: 'slow',
    durability: 'replay',
    splits: { train: [{}] },
    setup: () => void happened.push('setup'),
    async teardown() {
      await released;
      happened.push('torn down');
    },
    prompt: () => 'Look.',
    tools: { look: { input: { type: 'object' }, run: () => text('seen') } },
  });
  const cluster = new MemoryCluster([slow]);
  const one = await cluster.join('one');
  await one.host.create(refOf('s'), { choice: { task: {} }, secrets: {} });
  // Another node takes it, and gives it back before this one has torn it down.
  const other = journalOf(cluster.shared, 'other');
  await other.claims.take(placeOf('s'));
  await one.journal.confirm('s');
  expect(one.counts.fenced).toBe(1);
  await other.claims.give('s', 'one');
  const prompt = one.host.prompt(refOf('s'));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(happened).toEqual(['setup']);
  letGo();
  expect(await prompt).toMatchObject([{ text: 'Look.' }]);
  expect(happened).toEqual(['setup', 'torn down', 'setup']);
});

test('a node that has stopped builds nothing again that nobody would tear down', async () => {
  let setups = 0;
  const counted = environment({
    name: 'counted',
    durability: 'replay',
    splits: { train: [{}] },
    setup() {
      setups += 1;
    },
    prompt: () => 'Count.',
    tools: { look: { input: { type: 'object' }, run: () => text('seen') } },
  });
  const cluster = new MemoryCluster([counted]);
  const one = await cluster.join('one');
  await one.host.create(refOf('s'), { choice: { task: {} }, secrets: {} });
  const two = await cluster.join('two');
  await eventually(() => expect(one.host.membership.alive).toHaveLength(2));
  await one.host.drain();
  one.host.close();
  await eventually(() => expect(two.journal.episodes.has('s')).toBe(true));
  await two.host.drain();
  void two.host.touch(refOf('s')).catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(setups).toBe(1);
});

test('each place has one keeper, and keeps it unless that one leaves', () => {
  const places = Array.from({ length: 300 }, (_, index) => placeOf(`s${index}`));
  const before = places.map((place) => keeperOf(place, ['a', 'b', 'c']));
  for (const node of ['a', 'b', 'c']) expect(before.filter((each) => each === node).length).toBeGreaterThan(60);
  const after = places.map((place) => keeperOf(place, ['c', 'a']));
  for (const [index, keeper] of before.entries()) if (keeper !== 'b') expect(after[index]).toBe(keeper);
  expect(keeperOf('x', [])).toBeUndefined();
});

test('an id that a node told before it died is begun at another, and one of another session is not', async () => {
  const cluster = new MemoryCluster([count]);
  const { host } = await cluster.join('one');
  const two = await cluster.join('two');
  const [ref, other] = [refOf('s'), refOf('other')];
  for (const each of [ref, other]) await host.create(each, { choice: { task: {} }, secrets: {} });
  const first = hear(host, ref, { name: 'add', input: { n: 1 } });
  await eventually(() => expect(first.phase).toBe('settled'));
  // Made for this session, and never heard of: as if the node that told it had died before it asked.
  const { newTaskId } = await import('../../src/cluster/task-ids.ts');
  const told = hear(two.host, ref, { name: 'add', input: { n: 2 }, taskId: newTaskId('s') });
  await eventually(() => expect(told.phase).toBe('settled'));
  expect(resultOf(told)).toContain('"3"');
  const foreign = hear(two.host, other, { name: 'add', input: { n: 2 }, taskId: first.id });
  await eventually(() => expect(foreign.phase).toBe('settled'));
  expect(errorOf(foreign)).toBe('unknown_task_id');
});

test('the id of a call is told before it runs, also where an environment keeps nothing', async () => {
  let [isTold, wasTold] = [false, false];
  const plain = environment({
    name: 'plain',
    splits: { train: [{}] },
    prompt: () => 'Look.',
    tools: {
      look: {
        input: { type: 'object' },
        run() {
          wasTold = isTold;
          return text('seen');
        },
      },
    },
  });
  const cluster = new MemoryCluster([plain]);
  const nodes = [await cluster.join('one'), await cluster.join('two')];
  await nodes[0]?.host.create(refOf('s'), { choice: { task: {} }, secrets: {} });
  for (const { host } of nodes) {
    isTold = false;
    await new Promise<void>((resolve) => {
      host.call(refOf('s'), { name: 'look', input: {}, environment: 'plain' }, ({ kind }) => {
        isTold = true;
        if (kind === 'settled') resolve();
      });
    });
    expect(wasTold).toBe(true);
  }
});
