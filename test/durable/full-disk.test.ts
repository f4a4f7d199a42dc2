import { describe, expect, onTestFinished, test } from 'vitest';
import { catalog, environment } from '../../src/core/index.ts';
import { type EpisodeRecord, JournalKeeper } from '../../src/durable/index.ts';
import { Fenced, JournalFull, MemoryJournal } from '../../src/journal/index.ts';
import { DEFAULT_SESSION_OPTIONS, type HostEvent, LocalHost, LocalRuntime } from '../../src/sessions/index.ts';
import { durableEnvironments } from '../hosts/durable-environments.ts';
import { Stage } from '../hosts/stage.ts';
import { eventually } from '../support/clock.ts';
import { errorOf, hear, refOf, SESSION } from '../support/host.ts';

/** A journal whose disk can be filled, and taken away. test/journal/full-disk.test.ts has a real one. */
class Disk extends MemoryJournal<EpisodeRecord> {
  override readonly isPersistent = true as never;
  problem: Error | undefined;
  refusals = 0;

  override async append(key: string, record: EpisodeRecord, lastSeq: number): Promise<number> {
    this.#assertWell();
    return super.append(key, record, lastSeq);
  }

  override async replace(key: string, record: EpisodeRecord | undefined): Promise<void> {
    this.#assertWell();
    return super.replace(key, record);
  }

  #assertWell(): void {
    if (this.problem === undefined) return;
    this.refusals += 1;
    throw this.problem;
  }
}

const plain = environment({
  name: 'plain',
  splits: { train: [{}] },
  prompt: () => 'Go.',
  tools: { now: { run: () => '' } },
});

const drifting = environment({
  name: 'drifting',
  durability: 'replay',
  splits: { train: [{}] },
  prompt: () => 'Go.',
  tools: { drift: { run: () => crypto.randomUUID() } },
});

/** A server on a disk; what an earlier one left there is taken over. */
async function serve(disk: Disk) {
  const lines: string[] = [];
  const write = (_fields: object, message = '') => void lines.push(message);
  const log = { debug() {}, info() {}, warn: write, error: write };
  const events: HostEvent[] = [];
  const observer = { on: (event: HostEvent) => void events.push(event) };
  const options = { ...DEFAULT_SESSION_OPTIONS, drainMs: 0, log, observer };
  const runtime = new LocalRuntime(catalog([...durableEnvironments(), plain, drifting]), options);
  let fencings = 0;
  const keeper = new JournalKeeper(runtime, options, { journal: disk, onFenced: () => (fencings += 1) });
  const host = new LocalHost(runtime, options, keeper);
  await host.recover();
  onTestFinished(() => host.drain());
  return { host, lines, events, fencings: () => fencings };
}

async function begun() {
  const [disk, stage] = [new Disk(), new Stage()];
  const server = await serve(disk);
  const request = { choice: { task: { stage: stage.folder, slow: true } }, secrets: {} };
  await server.host.create(SESSION, request);
  await server.host.prompt(SESSION);
  return { disk, stage, request, ...server };
}

test('J10: a full disk delays what is told, refuses what is new, and loses nothing', async () => {
  const { disk, host, stage, lines, request } = await begun();
  disk.problem = new JournalFull('there is no room');
  const running = hear(host, SESSION, { name: 'add', input: { n: 2 }, taskId: 'mine' });
  // Its client hears that it goes on, so that it waits.
  await eventually(() => expect(running.phase).toBe('accepted'));
  const refused = hear(host, SESSION, { name: 'add', input: { n: 5 }, taskId: 'other' });
  expect(errorOf(refused)).toBe('journal_unavailable');
  await expect(host.create(refOf('another'), request)).rejects.toMatchObject({ code: 'journal_unavailable' });
  expect(stage.trace.filter((line) => line.startsWith('add'))).toEqual(['add mine 1']);
  disk.problem = undefined;
  await eventually(() => expect(running.ending).toMatchObject({ kind: 'returned', reward: 2 }));
  expect(stage.count('add mine 1')).toBe(1);
  const later = hear(host, SESSION, { name: 'add', input: { n: 5 }, taskId: 'other' });
  await eventually(() => expect(later.ending).toMatchObject({ kind: 'returned', reward: 5 }));
  expect(disk.read('s').map(({ type }) => type)).toEqual(['create', 'prompt', 'end', 'end']);
  expect(lines).toEqual([expect.stringContaining('cannot be written'), expect.stringContaining('written again')]);
  await host.create(refOf('another'), request);
});

test('J10: a server that stops does not wait for a full disk; the next one finds what keeps nothing, and says that it is lost', async () => {
  const { disk, host, request } = await begun();
  await host.create(refOf('plain'), { ...request, environment: 'plain' });
  disk.problem = new JournalFull('there is no room');
  await host.drain();
  expect(host.touch(refOf('plain'))).toMatchObject({ code: 'session_gone' });
  // The server that stopped tries again until its process ends.
  const left = new Disk();
  await left.append('plain', disk.read('plain')[0] as EpisodeRecord, 0);
  const next = await serve(left);
  expect(next.host.touch(refOf('plain'))).toMatchObject({ code: 'session_lost' });
});

test.each(['deleted', 'stopped'] as const)(
  'an episode that is %s while it is written down that it is lost has ended as lost',
  async (how) => {
    const disk = new Disk();
    const first = await serve(disk);
    const choice = { split: 'train', index: 0 };
    await first.host.create(SESSION, { environment: 'drifting', choice, secrets: {} });
    const drifted = hear(first.host, SESSION, { name: 'drift', input: {}, taskId: 'first' });
    await eventually(() => expect(drifted.ending).toMatchObject({ kind: 'returned' }));
    const { host, events } = await serve(disk);
    disk.problem = new JournalFull('there is no room');
    hear(host, SESSION, { name: 'drift', input: {}, taskId: 'second' });
    await eventually(() => expect(disk.refusals).toBeGreaterThan(0));
    const ended = how === 'deleted' ? host.end(SESSION) : host.drain();
    disk.problem = undefined;
    await ended;
    const end = { type: 'session_ended', reason: how, outcome: 'env_error', lost: 'diverged' };
    await eventually(() => expect(events.at(-1)).toMatchObject(end));
  },
);

describe('an idempotent call that was lost with its server', () => {
  const LOST = { name: 'putLater', input: { gate: 'a' }, taskId: 'mine' };

  async function lost() {
    const { disk, host, stage, request } = await begun();
    await host.create(refOf('another'), request);
    hear(host, SESSION, LOST);
    await stage.reached('putLater mine 1');
    return { disk, stage, next: await serve(disk) };
  }

  test('J10: runs as the next attempt, also if the disk is full when its session comes back', async () => {
    const { disk, stage, next } = await lost();
    disk.problem = new JournalFull('there is no room');
    hear(next.host, refOf('another'), { name: 'add', input: { n: 1 }, taskId: 'other' });
    await eventually(() => expect(next.lines).toEqual([expect.stringContaining('cannot be written')]));
    const again = hear(next.host, SESSION, LOST);
    expect(again.ending).toBeUndefined();
    disk.problem = undefined;
    await stage.reached('putLater mine 2');
    stage.open('a');
    await eventually(() => expect(again.ending).toMatchObject({ kind: 'returned' }));
    expect(stage.trace.filter((line) => line.startsWith('putLater'))).toEqual(['putLater mine 1', 'putLater mine 2']);
  });

  test('is not told as one that never ran, if its client cancels it before its session is there again', async () => {
    const { stage, next } = await lost();
    const again = hear(next.host, SESSION, LOST);
    next.host.abort(SESSION, 'mine');
    await stage.reached('putLater mine 2');
    stage.open('a');
    await eventually(() => expect(again.ending).toMatchObject({ kind: 'returned' }));
  });
});

test('a server whose journal another one has taken over tells nobody anything more', async () => {
  const { disk, host, fencings } = await begun();
  disk.problem = new Fenced('another has it');
  const heard = hear(host, SESSION, { name: 'add', input: { n: 2 }, taskId: 'mine' });
  await eventually(() => expect(fencings()).toBe(1));
  expect(heard.ending).toBeUndefined();
  expect(errorOf(hear(host, SESSION, { name: 'add', input: { n: 2 } }))).toBe('journal_unavailable');
  expect(fencings()).toBe(1);
  disk.problem = undefined;
});
