import { execFile } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { open } from 'lmdb';
import { expect, test } from 'vitest';
import { openJournal, readJournal, UnusableJournal } from '../../src/journal/index.ts';
import { ROOT } from '../support/command.ts';
import { type Noted, noted } from './contract.ts';
import { newFolder } from './folders.ts';

async function refusalOf(folder: string): Promise<string> {
  const refused = await openJournal(folder).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UnusableJournal);
  return (refused as Error).message;
}

test('a folder with results in it is for its owner alone', async () => {
  const folder = newFolder();
  const journal = await openJournal(join(folder, 'made', 'on', 'the', 'way'));
  await journal.close();
  expect(statSync(folder).mode & 0o077).toBe(0);
});

test('the files of a journal are for their owner alone, also in a folder that others can read', async () => {
  const folder = newFolder();
  mkdirSync(folder, { mode: 0o755 });
  await (await openJournal(folder)).close();
  const view = await readJournal(folder);
  await view.backup(join(dirname(folder), 'copy'));
  await view.close();
  const modes = [folder, join(dirname(folder), 'copy')].flatMap((each) =>
    readdirSync(each).map((name) => statSync(join(each, name)).mode & 0o077),
  );
  expect(new Set(modes)).toEqual(new Set([0]));
});

test('a folder with other files in it is refused, and stays as it is', async () => {
  const folder = newFolder();
  mkdirSync(folder);
  writeFileSync(join(folder, 'thesis.tex'), '');
  expect(await refusalOf(folder)).toContain("has other files in it ('thesis.tex'), and no journal");
  expect(readdirSync(folder)).toEqual(['thesis.tex']);
});

test('what file systems and shells leave in a folder does not matter', async () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'lost+found'), { recursive: true });
  writeFileSync(join(folder, '.gitkeep'), '');
  await (await openJournal(folder)).close();
});

test('a file where a folder should be is refused', async () => {
  const file = newFolder();
  writeFileSync(file, 'a file');
  expect(await refusalOf(file)).toContain('is a file; a journal is a folder');
  expect(await refusalOf(join(file, 'below'))).toContain('cannot make the folder');
});

test('a file that LMDB did not write is refused, and stays as it is', async () => {
  const folder = newFolder();
  mkdirSync(folder);
  writeFileSync(join(folder, 'data.mdb'), 'something else'.repeat(1000));
  expect(await refusalOf(folder)).toContain('is damaged, or was not written by LMDB');
  expect(readFileSync(join(folder, 'data.mdb'), 'utf8')).toBe('something else'.repeat(1000));
});

test('another LMDB database is refused', async () => {
  const folder = newFolder();
  const other = open({ path: folder });
  await other.put('of', 'somebody else');
  await other.close();
  expect(await refusalOf(folder)).toContain('there is no journal in');
});

test('a file that was cut is refused, and does not crash this process', async () => {
  const folder = newFolder();
  const journal = await openJournal<Noted>(folder);
  for (let index = 0; index < 50; index++) await journal.append(`key${index}`, noted('x'.repeat(10_000)), 0);
  await journal.close();
  const whole = statSync(join(folder, 'data.mdb')).size;
  copyFileSync(join(folder, 'data.mdb'), join(dirname(folder), 'whole'));
  for (const size of [whole - 20_480, Math.floor(whole / 2), 8192, 5000, 4096, 100]) {
    copyFileSync(join(dirname(folder), 'whole'), join(folder, 'data.mdb'));
    truncateSync(join(folder, 'data.mdb'), size);
    expect(await refusalOf(folder)).toContain('is damaged');
  }
  copyFileSync(join(dirname(folder), 'whole'), join(folder, 'data.mdb'));
  const again = await openJournal<Noted>(folder);
  expect(again.size).toBe(50);
  await again.close();
});

test('a journal of a newer version is refused', async () => {
  const folder = newFolder();
  await (await openJournal(folder)).close();
  const environment = open({ path: folder });
  const meta = environment.openDB('meta', { encoding: 'json', useVersions: true });
  await meta.put('format', { version: 2, id: 'x' }, 0);
  await environment.close();
  expect(await refusalOf(folder)).toContain('was written by a newer version of tiltyard (format 2; this one knows 1)');
});

test('a folder in which a journal was begun and nothing written is taken', async () => {
  const folder = newFolder();
  const environment = open({ path: folder });
  environment.openDB('meta', { encoding: 'json', useVersions: true });
  await environment.close();
  const journal = await openJournal<Noted>(folder);
  expect(await journal.append('a', noted(1), 0)).toBe(1);
  await journal.close();
});

test('without lmdb, a journal on disk says what to install, and one in memory works', async () => {
  const elsewhere = newFolder();
  cpSync(join(ROOT, 'dist/journal'), elsewhere, { recursive: true });
  cpSync(join(ROOT, 'node_modules/lru-cache'), join(elsewhere, 'node_modules/lru-cache'), { recursive: true });
  writeFileSync(join(elsewhere, 'package.json'), '{ "type": "module" }');
  const program = `const { MemoryJournal, openJournal } = await import('./index.js');
await new MemoryJournal().append('a', { type: 'noted', at: 1 }, 0);
await openJournal('here').catch((error) => console.log(error.message));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    cwd: elsewhere,
  });
  expect(stdout).toBe("a journal on disk needs the package 'lmdb', which is not installed. Run: npm install lmdb\n");
});
