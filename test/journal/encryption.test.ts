import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openJournal, parseJournalKeys } from '../../src/journal/index.ts';
import { type Noted, noted } from './contract.ts';
import { newFolder } from './folders.ts';

const [OLD, NEW] = ['0a'.repeat(32), Buffer.alloc(32, 7).toString('base64')];

/** Opens a journal with these keys, uses it, and closes it. */
async function withJournal<T>(
  folder: string,
  keys: string,
  use: (journal: Awaited<ReturnType<typeof openJournal<Noted>>>) => T,
): Promise<Awaited<T>> {
  const journal = await openJournal<Noted>(folder, { keys: keys === '' ? [] : parseJournalKeys(keys) });
  try {
    return await use(journal);
  } finally {
    await journal.close();
  }
}

function bytesOf(folder: string): Buffer {
  return Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))));
}

test('J6: with a key, nothing of a body is found in the bytes of the folder', async () => {
  const folder = newFolder();
  const secret = 'sk-very-secret';
  await withJournal(folder, NEW, async (journal) => {
    expect(journal.isEncrypted).toBe(true);
    const append = journal.append(`owner ${secret}`, noted({ secret }, JSON.stringify({ secret })), 0);
    // Also while it runs, and after it was replaced.
    await append;
    expect(bytesOf(folder).includes(secret)).toBe(false);
    await journal.append('another', noted(secret.repeat(5000), JSON.stringify(secret)), 0);
    await journal.replace('another', noted(secret));
    expect(journal.read('another')).toEqual([noted(secret)]);
  });
  expect(bytesOf(folder).includes(secret)).toBe(false);
  expect(bytesOf(folder).includes(Buffer.from(NEW, 'base64'))).toBe(false);
});

test('without a key, bodies are in the clear, and keys are not', async () => {
  const folder = newFolder();
  await withJournal(folder, '', (journal) => journal.append('plain', noted('found by grep', '"found"'), 0));
  expect(bytesOf(folder).includes('found by grep')).toBe(true);
});

test('a journal is refused at once without its key, or with a wrong one', async () => {
  const folder = newFolder();
  await withJournal(folder, OLD, (journal) => journal.append('a', noted(1), 0));
  for (const keys of ['', NEW]) {
    const refused = await withJournal(folder, keys, () => 'opened').catch((error: Error) => error.message);
    expect(refused).toMatch(/encrypted with a key that was not given \([0-9a-f]{16}\).*TILTYARD_JOURNAL_KEY/);
  }
  expect(await withJournal(folder, OLD, (journal) => journal.read('a'))).toEqual([noted(1)]);
});

test('a journal that began without a key goes on with one', async () => {
  const folder = newFolder();
  await withJournal(folder, '', (journal) => journal.append('a', noted('plain'), 0));
  await withJournal(folder, OLD, (journal) => journal.append('a', noted('sealed secret'), 1));
  expect(await withJournal(folder, OLD, (journal) => journal.read('a'))).toEqual([
    noted('plain'),
    noted('sealed secret'),
  ]);
  expect(bytesOf(folder).includes('sealed secret')).toBe(false);
});

test('keys rotate: the old one is needed until nothing is sealed with it', async () => {
  const folder = newFolder();
  await withJournal(folder, OLD, (journal) => journal.append('a', noted('old'), 0));
  await withJournal(folder, `${NEW}, ${OLD}`, async (journal) => {
    await journal.append('b', noted('new'), 0);
    expect(journal.read('a')).toEqual([noted('old')]);
  });
  await expect(withJournal(folder, NEW, () => 'opened')).rejects.toThrow('not given');
  await withJournal(folder, `${NEW},${OLD}`, (journal) => journal.replace('a', noted('ended')));
  expect(await withJournal(folder, NEW, (journal) => [...journal.read('a'), ...journal.read('b')])).toEqual([
    noted('ended'),
    noted('new'),
  ]);
});

test('the old key is also needed for what only the tail of a killed process has', async () => {
  const folder = newFolder();
  const left = await withJournal(folder, OLD, async (journal) => {
    await journal.append('a', noted('old secret'), 0);
    const copy = newFolder();
    cpSync(folder, copy, { recursive: true });
    return copy;
  });
  expect(readdirSync(left)).toContain('tail-1-1');
  expect(bytesOf(left).includes('old secret')).toBe(false);
  await expect(withJournal(left, NEW, () => 'opened')).rejects.toThrow('not given');
  expect(await withJournal(left, `${NEW},${OLD}`, (journal) => journal.read('a'))).toEqual([noted('old secret')]);
});

test.each([
  ['', 'is empty'],
  ['not a key!', 'neither hex nor base64'],
  ['c2hvcnQ=', 'has 5 bytes as base64; it must have 32'],
  ['zz'.repeat(32), 'has 48 bytes'],
  [`${'ab'.repeat(32)},`, 'key 2 of the journal is empty'],
])('the text %j is no key', (text, message) => {
  expect(() => parseJournalKeys(text)).toThrow(message);
  expect(() => parseJournalKeys(text)).toThrow('openssl rand -hex 32');
  if (text.length > 8) expect(() => parseJournalKeys(text)).not.toThrow(text);
});
