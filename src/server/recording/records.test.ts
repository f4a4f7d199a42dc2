import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

test('of a call whose result the disk does not take, the call is written and counted, and the result is missing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tiltyard-thread-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const records = new Records({ folder, maxBytes: 1e9 });
  const write = (entry: Partial<Entry>) => {
    const batch = new Batch();
    batch.push({ kind: 'note', session: 1, at: 1, call: 0, reward: Number.NaN, text: '"text":"next"', ...entry });
    return records.write(batch.take());
  };
  write({ kind: 'open', text: JSON.stringify(OPENING) });
  const [segment = ''] = readdirSync(folder);
  // Where its images would go.
  rmSync(join(folder, segment, 'blobs'), { recursive: true, force: true });
  writeFileSync(join(folder, segment, 'blobs'), '');
  const image = JSON.stringify({ type: 'image', mimeType: 'image/png', data: 'A'.repeat(100_000), detail: null });
  const result = `"ms":1,"outcome":"returned","blocks":[${image}],"metadata":null,"reward":null,"finished":false`;
  const text = `"tool":"draw","input":{},"id":"a"\n${result}`;
  expect(write({ kind: 'called', call: 5, text })).toMatchObject({ written: 1, dropped: 1 });
  expect(write({})).toMatchObject({ written: 1, dropped: 0 });
  const lines = readFileSync(join(folder, segment, 'one.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  const events = lines.map((line) => JSON.parse(line) as { type: string; text?: string });
  expect(events.map(({ type }) => type)).toEqual(['episode', 'call', 'note', 'note']);
  expect(events[2]?.text).toMatch(/^1 events before this one are missing/);
});
