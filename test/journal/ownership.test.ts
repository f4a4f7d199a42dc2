import { once } from 'node:events';
import { cpSync, readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { JournalInUse, openJournal } from '../../src/journal/index.ts';
import { eventually } from '../support/clock.ts';
import { untilPrinted } from '../support/command.ts';
import { type Noted, noted } from './contract.ts';
import { newFolder } from './folders.ts';
import { startAppending } from './start-appending.ts';

test('a second owner is refused, and told who the first is', async () => {
  const folder = newFolder();
  const { child } = await startAppending(folder, 1);
  const refused = await openJournal(folder).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(JournalInUse);
  expect((refused as Error).message).toContain(`process ${child.pid} on ${hostname()}, since 20`);
});

test('a journal that this process has open is not opened again, and works on', async () => {
  const folder = newFolder();
  await using journal = await opened(folder);
  await expect(openJournal(folder)).rejects.toThrow('in use by this process itself');
  expect(await journal.append('a', noted(1), 0)).toBe(1);
});

test('a killed owner is succeeded at once, whatever it was doing', async () => {
  const folder = newFolder();
  const tookMs: number[] = [];
  for (let round = 0; round < 3; round++) {
    const { child, exit } = await startAppending(folder, 4);
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    child.kill('SIGKILL');
    await exit;
    const before = performance.now();
    await using journal = await opened(folder);
    tookMs.push(performance.now() - before);
    expect(journal.lastAlive).toBeGreaterThan(Date.now() - 60_000);
    expect(journal.size).toBeGreaterThan(0);
  }
  // Waiting for its beat would take 3 seconds each time.
  expect(Math.min(...tookMs)).toBeLessThan(2500);
});

test('an owner that was stopped is succeeded when it has been silent, and is fenced when it goes on', async () => {
  const folder = newFolder();
  const run = await startAppending(folder, 'lines');
  const { child, output } = run;
  child.stdin?.write('\n');
  await untilPrinted(run, /key0 1/);
  child.kill('SIGSTOP');
  await using journal = await opened(folder);
  expect(await journal.append('key0', noted('of the new owner'), 1)).toBe(2);
  child.kill('SIGCONT');
  child.stdin?.write('\n');
  await untilPrinted(run, /Fenced/);
  expect(output()).not.toContain('key0 2');
  expect(journal.read('key0')[1]).toEqual(noted('of the new owner'));
  expect(await journal.append('key0', noted('and once more'), 2)).toBe(3);
  // It closes what it has not got any more, and ends.
  child.stdin?.end();
  await run.exit;
});

test('J5: an owner that was stopped takes nothing from its successor, which ends a moment after it told something', async () => {
  const folder = newFolder();
  const run = await startAppending(folder, 'lines');
  const { child } = run;
  child.stdin?.write('\n');
  await untilPrinted(run, /key0 1/);
  // So that what it writes next begins another tail.
  await eventually(() => expect(tailsIn(folder)).toEqual([]));
  child.kill('SIGSTOP');
  // It reads this when it goes on, before it knows that it was succeeded.
  child.stdin?.write('\n');
  await using journal = await opened(folder);
  await journal.append('key1', noted('of the new owner'), 0);
  child.kill('SIGCONT');
  await untilPrinted(run, /Fenced/);
  const left = newFolder();
  // Not the locks, which two processes hold.
  cpSync(folder, left, { recursive: true, filter: (path) => !path.endsWith('lock.mdb') });
  await using next = await opened(left);
  expect(next.read('key1')).toEqual([noted('of the new owner')]);
  expect(next.read('key0')).toHaveLength(1);
  expect(tailsIn(left)).toEqual([]);
});

test('an owner that was stopped within a transaction does not block others for ever', async () => {
  const folder = newFolder();
  const { child } = await startAppending(folder, 16);
  for (let round = 0; round < 3; round++) {
    // It ends when it finds that somebody has taken its journal, if only for a moment.
    await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), once(child, 'exit')]);
    if (child.exitCode !== null) return;
    child.kill('SIGSTOP');
    const result = await opened(folder).catch((error: Error) => error);
    if (!(result instanceof Error)) return void (await result[Symbol.asyncDispose]());
    expect(result.message).toContain(`kill -9 ${child.pid}`);
    child.kill('SIGCONT');
  }
});

test('a journal has an id that stays, and knows when it was last in use', async () => {
  const folder = newFolder();
  const first = await openJournal<Noted>(folder);
  expect(first.lastAlive).toBeUndefined();
  await first.close();
  const closed = Date.now();
  await using second = await opened(folder);
  expect(second.id).toMatch(/^[0-9a-f-]{36}$/);
  expect(second.id).toBe(first.id);
  expect(second.lastAlive).toBeLessThanOrEqual(closed);
  expect(second.lastAlive).toBeGreaterThan(closed - 60_000);
});

function tailsIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('tail-'));
}

async function opened(folder: string) {
  const journal = await openJournal<Noted>(folder);
  return Object.assign(journal, { [Symbol.asyncDispose]: () => journal.close() });
}
