import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openJournal } from '../../src/journal/index.ts';
import { type Noted, noted } from './contract.ts';
import { newFolders } from './folders.ts';

const newFolder = newFolders();

test('J9: a thousand keys that are written and replaced over and over do not make the file grow', async () => {
  const folder = newFolder();
  const journal = await openJournal<Noted>(folder);
  const keys = Array.from({ length: 1000 }, (_, index) => `key${index}`);
  const sizes: number[] = [];
  for (let round = 0; round < 12; round++) {
    for (let seq = 0; seq < 4; seq++)
      await Promise.all(
        keys.map((key) => journal.append(key, noted(`${round} ${seq}`, JSON.stringify('s'.repeat(1500))), seq)),
      );
    await Promise.all(keys.map((key) => journal.replace(key, undefined)));
    expect(journal.size).toBe(0);
    sizes.push(statSync(join(folder, 'data.mdb')).size);
  }
  await journal.close();
  expect(sizes.at(-1)).toBeLessThanOrEqual(1.1 * (sizes[5] as number));
});

test('J9: an episode that saves at each step takes the room of one state', async () => {
  const folder = newFolder();
  const journal = await openJournal<Noted>(folder);
  const state = JSON.stringify('s'.repeat(100_000));
  for (let seq = 0; seq < 300; seq++) await journal.append('a', noted(seq, state), seq);
  await journal.close();
  // Without dropping, it would be 30 MB.
  expect(statSync(join(folder, 'data.mdb')).size).toBeLessThan(3_000_000);
});
