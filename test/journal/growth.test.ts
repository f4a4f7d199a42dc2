import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Journal, openJournal } from '../../src/journal/index.ts';
import { eventually } from '../support/clock.ts';
import { type Noted, noted } from './contract.ts';
import { newFolder } from './folders.ts';

test('J9: a thousand keys that are written and replaced over and over do not make the file grow', async () => {
  const folder = newFolder();
  const keys = Array.from({ length: 1000 }, (_, index) => `key${index}`);
  const sizes: number[] = [];
  // Closed in between, since what is replaced soon never comes into the file at all.
  const using = async (use: (journal: Journal<Noted>) => Promise<unknown>) => {
    const journal = await openJournal<Noted>(folder);
    await use(journal);
    await journal.close();
  };
  for (let round = 0; round < 12; round++) {
    await using(async (journal) => {
      for (let seq = 0; seq < 4; seq++)
        await Promise.all(
          keys.map((key) => journal.append(key, noted(`${round} ${seq}`, JSON.stringify('s'.repeat(1500))), seq)),
        );
    });
    await using(async (journal) => {
      expect(journal.size).toBe(1000);
      await Promise.all(keys.map((key) => journal.replace(key, undefined)));
      expect(journal.size).toBe(0);
    });
    sizes.push(statSync(join(folder, 'data.mdb')).size);
  }
  expect(sizes.at(-1)).toBeLessThanOrEqual(1.1 * (sizes[5] as number));
});

test('J9: what is written first goes when the file has it', async () => {
  const folder = newFolder();
  const journal = await openJournal<Noted>(folder);
  const tails = () => readdirSync(folder).filter((name) => name.startsWith('tail-'));
  await journal.append('a', noted(1), 0);
  expect(tails()).toHaveLength(1);
  await eventually(() => expect(tails()).toEqual([]));
  await journal.append('a', noted(2), 1);
  await journal.close();
  expect(tails()).toEqual([]);
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
