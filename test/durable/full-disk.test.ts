import { expect, onTestFinished, test } from 'vitest';
import { catalog } from '../../src/core/index.ts';
import { type EpisodeRecord, JournalKeeper } from '../../src/durable/index.ts';
import { Fenced, JournalFull, MemoryJournal } from '../../src/journal/index.ts';
import { DEFAULT_SESSION_OPTIONS, LocalHost, LocalRuntime } from '../../src/sessions/index.ts';
import { durableEnvironments } from '../hosts/durable-environments.ts';
import { Stage } from '../hosts/stage.ts';
import { eventually } from '../support/clock.ts';
import { errorOf, hear, refOf, SESSION } from '../support/host.ts';

/** A journal whose disk can be filled, and taken away. test/journal/full-disk.test.ts has a real one. */
class Disk extends MemoryJournal<EpisodeRecord> {
  override readonly isPersistent = true as never;
  problem: Error | undefined;

  override async append(key: string, record: EpisodeRecord, lastSeq: number): Promise<number> {
    if (this.problem !== undefined) throw this.problem;
    return super.append(key, record, lastSeq);
  }

  override async replace(key: string, record: EpisodeRecord | undefined): Promise<void> {
    if (this.problem !== undefined) throw this.problem;
    return super.replace(key, record);
  }
}

async function begun() {
  const [disk, stage] = [new Disk(), new Stage()];
  const lines: string[] = [];
  const write = (_fields: object, message = '') => void lines.push(message);
  const log = { debug() {}, info() {}, warn: write, error: write };
  const options = { ...DEFAULT_SESSION_OPTIONS, drainMs: 0, log };
  const runtime = new LocalRuntime(catalog(durableEnvironments()), options);
  let fencings = 0;
  const keeper = new JournalKeeper(runtime, options, { journal: disk, onFenced: () => (fencings += 1) });
  const host = new LocalHost(runtime, options, keeper);
  onTestFinished(() => host.drain());
  const request = { choice: { task: { stage: stage.folder } }, secrets: {} };
  await host.create(SESSION, request);
  await host.prompt(SESSION);
  return { disk, host, stage, lines, request, fencings: () => fencings };
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
