import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startOf } from '../../core/index.ts';
import { Archive, onDisk } from './archive.ts';
import { BEAT_MS } from './writers.ts';

const TIME = '2026-01-01T00-00-00-000Z';

// A process that lives, and is not this one.
const OTHER = process.ppid;

/** A folder of records with one segment, of a writer with this name. */
function folderOf(writer: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tiltyard-archive-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const segment = join(folder, `${TIME}-${writer}-0a1b`);
  mkdirSync(segment);
  writeFileSync(join(segment, 'math.jsonl'), 'x'.repeat(10_000));
  return folder;
}

test.runIf(process.platform === 'linux')(
  'a segment whose writer is gone makes room, also if its process id came again',
  () => {
    const folder = folderOf(`${OTHER}_1${startOf(OTHER)}`);
    expect(new Archive(folder, 1).makeRoom()).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  },
);

test.each([`${OTHER}_${startOf(OTHER) ?? 1}`, `${OTHER}`])('a segment of a process that lives stays (%s)', (writer) => {
  const folder = folderOf(writer);
  expect(new Archive(folder, 1).makeRoom()).toBe(false);
  expect(readdirSync(folder)).toHaveLength(1);
});

test('an archive knows its own segments again', () => {
  const folder = folderOf(`${process.pid}`);
  new Archive(folder, 1e9).place();
  const again = new Archive(folder, 1);
  expect(again.makeRoom()).toBe(true);
  expect(again.deleted).toBe(1);
  expect(readdirSync(folder)).toHaveLength(1);
});

test('a segment that a server in another container writes to stays, also if both have the same process id', () => {
  const folder = folderOf(`${process.pid}_${startOf(process.pid) ?? 1}-0123abcd`);
  expect(new Archive(folder, 1).makeRoom()).toBe(false);
  expect(readdirSync(folder)).toHaveLength(1);
  // Nobody has shown there that it is alive, for long.
  const [segment = ''] = readdirSync(folder);
  utimesSync(join(folder, segment), 1, 1);
  expect(new Archive(folder, 1).makeRoom()).toBe(true);
  expect(readdirSync(folder)).toEqual([]);
});

test('a segment of a server in another container that was killed makes room a minute later', () => {
  const folder = folderOf('1-0123abcd');
  const archive = watchingArchive(folder);
  expect(archive.makeRoom()).toBe(false);
  pass(archive, 50_000);
  expect(archive.makeRoom()).toBe(false);
  pass(archive, 20_000);
  expect(archive.makeRoom()).toBe(true);
});

test.each([-240_000, 3_600_000])(
  'a segment of a server elsewhere stays while that one shows that it lives, and no longer, also if its clock is %s ms off',
  (offMs) => {
    const folder = folderOf('1-0123abcd');
    const [segment = ''] = readdirSync(folder);
    const theirBeat = () => {
      const now = new Date(Date.now() + offMs);
      utimesSync(join(folder, segment), now, now);
    };
    theirBeat();
    const archive = watchingArchive(folder);
    for (let minute = 0; minute < 10; minute += 1) {
      pass(archive, 55_000);
      theirBeat();
      expect(archive.makeRoom()).toBe(false);
    }
    pass(archive, 70_000);
    expect(archive.makeRoom()).toBe(true);
  },
);

/** An archive that is full, on a clock of the test's own. */
function watchingArchive(folder: string): Archive {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  return new Archive(folder, 1);
}

/** Lets time pass, in which the archive's thread beats. */
function pass(archive: Archive, ms: number): void {
  for (let passed = 0; passed < ms; passed += BEAT_MS) {
    vi.advanceTimersByTime(Math.min(BEAT_MS, ms - passed));
    archive.beat();
  }
}

test('an archive shows others which segments it writes to', () => {
  const folder = folderOf('1');
  const archive = new Archive(folder, 1e9);
  const current = archive.place();
  const [old = ''] = readdirSync(folder);
  for (const path of [current.path, join(folder, old)]) utimesSync(path, 1, 1);
  archive.beat();
  expect(Date.now() - statSync(current.path).mtimeMs).toBeLessThan(60_000);
  expect(statSync(join(folder, old)).mtimeMs).toBe(1_000);
});

test('what a server leaves when it stops may be deleted at once by one in another container', () => {
  const folder = folderOf('1');
  const archive = new Archive(folder, 1e9);
  const { path } = archive.place();
  archive.leave();
  expect(statSync(path).mtimeMs).toBe(0);
});

// As a server elsewhere that deletes the oldest: it makes segments and deletes them, without end.
const DELETING = `
  const { mkdirSync, rmSync, writeFileSync } = require('node:fs');
  const { join } = require('node:path');
  const { parentPort, workerData: { folder, time } } = require('node:worker_threads');
  const path = join(folder, time + '-1-0123abcd-0a1c');
  for (let round = 0; ; round += 1) {
    mkdirSync(join(path, 'blobs'), { recursive: true });
    for (let file = 0; file < 20; file += 1) writeFileSync(join(path, 'blobs', String(file)), '');
    rmSync(path, { recursive: true, force: true, maxRetries: 10 });
    if (round === 20) parentPort.postMessage('deleting');
  }`;

test('an archive opens while a server elsewhere deletes segments', async () => {
  const folder = folderOf('1');
  const other = new Worker(DELETING, { eval: true, workerData: { folder, time: TIME } });
  try {
    await once(other, 'message');
    for (let opened = 0; opened < 2_000; opened += 1)
      expect(new Archive(folder, 1e9).bytes).toBeGreaterThanOrEqual(onDisk(10_000));
  } finally {
    await other.terminate();
  }
});
