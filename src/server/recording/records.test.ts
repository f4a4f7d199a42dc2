import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Batch } from './batch.ts';
import type { Entry } from './messages.ts';
import { Records } from './records.ts';

const OPENING = {
  name: 'one',
  episode: { type: 'episode', at: 1, by: 'server', environment: 'math', id: 's' },
  secrets: {},
};

const NEXT = '"text":"next"';
const LARGE = `"text":${JSON.stringify('x'.repeat(100_000))}`;
const IMAGE = JSON.stringify({ type: 'image', mimeType: 'image/png', data: 'A'.repeat(100_000), detail: null });
const DRAW = '"tool":"draw","input":{},"id":"a"';
const DRAWN = `"ms":1,"outcome":"returned","blocks":[${IMAGE}],"metadata":null,"reward":null,"finished":false`;

/** Records of which two have been begun, `one` in session 1 and `two` in session 2. */
function opened() {
  const folder = mkdtempSync(join(tmpdir(), 'tiltyard-thread-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const records = new Records({ folder, maxBytes: 1e9 });
  const write = (...entries: Partial<Entry>[]) => {
    const batch = new Batch();
    for (const given of entries) {
      const entry: Entry = { kind: 'note', session: 1, at: 1, call: 0, reward: Number.NaN, text: NEXT, ...given };
      if (!batch.pushResult(entry)) batch.push(entry);
    }
    return records.write(batch.take());
  };
  const open = (session: number, more: object = {}) =>
    write({ kind: 'open', session, text: JSON.stringify({ ...OPENING, ...more }) });
  open(1);
  open(2, { name: 'two' });
  const [segment = ''] = readdirSync(folder);
  const blobs = join(folder, segment, 'blobs');
  /** Says whether the disk takes images and large texts from now on. */
  const takeBlobs = (takes: boolean) => {
    rmSync(blobs, { recursive: true, force: true });
    if (!takes) writeFileSync(blobs, '');
  };
  const eventsOf = (name: string) =>
    readFileSync(join(folder, segment, `${name}.jsonl`), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { n: number; type: string; text?: string });
  return { folder, write, open, takeBlobs, eventsOf };
}

test('of a call whose result the disk does not take, the call is written and counted, and the result is missing', () => {
  const { write, takeBlobs, eventsOf } = opened();
  takeBlobs(false);
  const drawn = { kind: 'result', call: 5, text: DRAWN } as const;
  expect(write({ kind: 'call', call: 5, text: DRAW }, drawn)).toMatchObject({ written: 1, dropped: 1 });
  expect(write({})).toMatchObject({ written: 1, dropped: 0 });
  const events = eventsOf('one');
  expect(events.map(({ type }) => type)).toEqual(['episode', 'call', 'note', 'note']);
  expect(events[2]?.text).toMatch(/^1 events before this one are missing/);
});

test('of a call that the disk does not take at all, both events are counted, whatever was noted before it', () => {
  const { write, takeBlobs } = opened();
  takeBlobs(false);
  expect(write({ text: LARGE })).toMatchObject({ written: 0, dropped: 1 });
  const large = { kind: 'call', call: 5, text: DRAW.replace('{}', `{${LARGE}}`) } as const;
  expect(write(large, { kind: 'result', call: 5, text: '"ms":1' })).toMatchObject({ written: 0, dropped: 2 });
});

test('what waits of a record whose next event the disk does not take is in no other record', () => {
  const { write, takeBlobs, eventsOf } = opened();
  takeBlobs(false);
  write({ text: LARGE });
  write({ text: LARGE });
  write({ session: 2, text: '"text":"of two"' });
  takeBlobs(true);
  write({ text: '"text":"of one"' });
  expect(eventsOf('two').map(({ text }) => text)).toEqual([undefined, 'of two']);
  for (const name of ['one', 'two']) expect(eventsOf(name).map(({ n }) => n)).toEqual(eventsOf(name).map((_, n) => n));
});

test('nor are the calls of an earlier server', () => {
  const { write, open, takeBlobs, eventsOf } = opened();
  write({ kind: 'suspend', text: '' });
  takeBlobs(false);
  const result = '"ms":1,"outcome":"returned","blocks":[],"metadata":null,"reward":1,"finished":false';
  const past = [{ id: 'a', call: '"tool":"t","input":{"private":1},"id":"a"', result, reward: 1 }];
  open(3, { past });
  write({ session: 3, text: LARGE });
  write({ session: 2, text: '"text":"of two"' });
  expect(eventsOf('two').map(({ type }) => type)).toEqual(['episode', 'note']);
});

test('events that are lost while a gap is noted are noted, too', () => {
  const { write, takeBlobs, eventsOf } = opened();
  takeBlobs(false);
  write({ text: LARGE });
  write({ text: LARGE });
  takeBlobs(true);
  write({});
  const gap = /^(\d+) events before this one are missing/;
  const told = eventsOf('one').map(({ text = '' }) => Number(gap.exec(text)?.[1] ?? 0));
  expect(told.reduce((sum, count) => sum + count, 0)).toBe(2);
});

test.runIf(process.platform === 'linux')('a record that cannot be begun leaves no open file (needs /proc)', () => {
  const { folder, open, takeBlobs } = opened();
  takeBlobs(false);
  const task = { question: 'x'.repeat(100_000) };
  for (let session = 3; session < 13; session += 1)
    open(session, { name: `no ${session}`, episode: { ...OPENING.episode, task } });
  expect(openFiles().filter((path) => path.startsWith(folder))).toEqual([]);
});

function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      // The one with which the list was read.
      return [];
    }
  });
}
