import { cpSync, readdirSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Journal, openJournal, readJournal } from '../../src/journal/index.ts';
import { type Noted, noted } from './contract.ts';
import { newFolder } from './folders.ts';

// What was told a moment ago is in a file of its own, and not in LMDB's yet. A copy of the folder is what a killed process leaves.

const KEYS = ['a', 'b', 'c'];

async function opened(folder: string): Promise<Journal<Noted>> {
  const journal = await openJournal<Noted>(folder);
  onTestFinished(() => journal.close());
  return journal;
}

function copyOf(folder: string): string {
  const copy = newFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
}

function tailOf(folder: string): string {
  const [name] = readdirSync(folder).filter((each) => each.startsWith('tail-'));
  return join(folder, name ?? 'none');
}

function notesOf(journal: Pick<Journal<Noted>, 'read'>, key: string): unknown[] {
  return journal.read(key).map(({ note }) => note);
}

test('J5: of a tail that was cut at any byte, what was told before that is there, and nothing twice', {
  timeout: 120_000,
}, async () => {
  const folder = newFolder();
  const journal = await opened(folder);
  const sizes: number[] = [];
  for (let seq = 0; seq < 4; seq++) {
    await journal.append('a', noted(seq), seq);
    sizes.push(readFileSync(tailOf(folder)).length);
  }
  const whole = copyOf(folder);
  const last = sizes.at(-1) as number;
  for (let cut = 0; cut <= last; cut += cut % 16 === 0 ? 1 : 5) {
    const copy = copyOf(whole);
    truncateSync(tailOf(copy), cut);
    const again = await openJournal<Noted>(copy);
    const count = sizes.filter((size) => size <= cut).length;
    expect(notesOf(again, 'a')).toEqual([0, 1, 2, 3].slice(0, count));
    expect(await again.append('a', noted('next'), count)).toBe(count + 1);
    await again.close();
  }
});

test('J5: whatever is done, a process that ends at any moment leaves what it told', { timeout: 120_000 }, async () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  let folder = newFolder();
  let journal = await openJournal<Noted>(folder);
  const told = new Map<string, number[]>(KEYS.map((key) => [key, []]));
  const change = async (value: number) => {
    const key = KEYS[random(KEYS.length)] as string;
    const notes = told.get(key) as number[];
    const what = random(10);
    if (what === 0) await journal.replace(key, undefined);
    else if (what === 1) await journal.replace(key, noted(value));
    else await journal.append(key, noted(value, what === 2 ? `${value}` : undefined), notes.length);
    told.set(key, what === 0 ? [] : what === 1 ? [value] : [...notes, value]);
  };
  for (let life = 0; life < 30; life++) {
    for (let count = random(20); count > 0; count--) await change(life * 100 + count);
    // Sometimes LMDB has some of it.
    if (random(3) === 0) await new Promise((resolve) => setTimeout(resolve, 150 + random(150)));
    for (const key of KEYS) expect(notesOf(journal, key)).toEqual(told.get(key));
    expect(journal.size).toBe([...told.values()].filter(({ length }) => length > 0).length);
    const before = journal;
    folder = copyOf(folder);
    journal = await openJournal<Noted>(folder);
    await before.close();
    for (const key of KEYS) expect(notesOf(journal, key)).toEqual(told.get(key));
    const listed = [...journal.entries()].map(({ key, lastSeq }) => [key, lastSeq]);
    const expected = [...told].map(([key, { length }]) => [key, length]).filter(([, length]) => length !== 0);
    expect(listed.sort()).toEqual(expected.sort());
  }
  await journal.close();
});

test('who only looks sees what was told last, and so does who looks at a copy', async () => {
  const folder = newFolder();
  const journal = await opened(folder);
  await journal.append('a', noted('old'), 0);
  await journal.replace('a', noted('new', '{}'));
  await journal.append('b', noted('other'), 0);
  const [backup, view] = [newFolder(), await readJournal<Noted>(folder)];
  await view.backup(backup);
  for (const each of [view, await readJournal<Noted>(backup), await readJournal<Noted>(copyOf(folder))]) {
    expect(each.read('a')).toMatchObject([{ note: 'new', saved: '{}' }]);
    expect([...each.entries()].map(({ key }) => key).sort()).toEqual(['a', 'b']);
    await each.close();
  }
  const again = await opened(backup);
  expect(notesOf(again, 'b')).toEqual(['other']);
});

test('J5: small records are whole before and after one that is larger than the memory that is kept for them', async () => {
  const folder = newFolder();
  const journal = await opened(folder);
  const notes = ['small', 'x'.repeat(3_000_000), 'short', 'y'.repeat(400_000), 'z'];
  for (const [index, note] of notes.entries()) await journal.append('a', noted(note), index);
  expect(notesOf(await opened(copyOf(folder)), 'a')).toEqual(notes);
});
