import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { startOf } from '../../core/index.ts';
import { Archive, onDisk } from './archive.ts';

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
  const archive = new Archive(folder, 1);
  expect(archive.makeRoom()).toBe(false);
  expect(readdirSync(folder)).toHaveLength(1);
  // Nobody has shown there that it is alive.
  const [segment = ''] = readdirSync(folder);
  utimesSync(join(folder, segment), 1, 1);
  expect(archive.makeRoom()).toBe(true);
  expect(readdirSync(folder)).toEqual([]);
});

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
