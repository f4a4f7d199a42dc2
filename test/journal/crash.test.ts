import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type JournalRecord, openJournal } from '../../src/journal/index.ts';
import { newFolder } from './folders.ts';
import { startAppending } from './start-appending.ts';

interface Filled extends JournalRecord {
  readonly text: string;
}

/** The last number of each key that a process has printed. */
function acknowledged(output: string, into: Map<string, number>): void {
  // The last line may be cut.
  for (const [, key = '', seq] of output.matchAll(/^(key\d+) (\d+)\n/gm)) into.set(key, Number(seq));
}

/** Checks that each record that was acknowledged is there, whole, and with none missing before it. */
async function expectWhole(folder: string, known: ReadonlyMap<string, number>): Promise<void> {
  const journal = await openJournal<Filled>(folder);
  try {
    expect(journal.size).toBeGreaterThanOrEqual(known.size);
    for (const [key, seq] of known) {
      const records = journal.read(key);
      expect(records.length).toBeGreaterThanOrEqual(seq);
      for (const [index, { text, saved }] of records.entries()) {
        expect(text).toBe(`${key} ${index + 1} `.repeat(40));
        expect(saved).toBe(index === records.length - 1 ? JSON.stringify(text) : undefined);
      }
    }
  } finally {
    await journal.close();
  }
}

test('J5: a process that is killed at any moment leaves every record that it acknowledged', {
  timeout: 180_000,
}, async () => {
  const folder = newFolder();
  const known = new Map<string, number>();
  for (let round = 0; round < 15; round++) {
    const { child, output, exit } = await startAppending(folder, 1 + (round % 8));
    await wait(Math.random() * 300);
    child.kill('SIGKILL');
    await exit;
    acknowledged(output(), known);
    await expectWhole(folder, known);
  }
  expect(known.size).toBeGreaterThan(0);
});

test('J5: so does a copy of the folder of a process that stands still', { timeout: 120_000 }, async () => {
  const folder = newFolder();
  const known = new Map<string, number>();
  const { child, output } = await startAppending(folder, 8);
  for (let round = 0; round < 5; round++) {
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    await wait(Math.random() * 200);
    child.kill('SIGSTOP');
    // What it printed before may still be in the pipe, and is newer than what is checked: that is only kinder to the journal.
    acknowledged(output(), known);
    const copy = newFolder();
    cpSync(folder, copy, { recursive: true });
    child.kill('SIGCONT');
    await expectWhole(copy, known);
  }
});
