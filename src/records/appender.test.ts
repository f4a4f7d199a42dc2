import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ThreadAppender } from './appender.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'tiltyard-appender-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

/** One that leaves the first so many to Node's own threads. */
function open(first = 0): ThreadAppender {
  const appender = new ThreadAppender(first);
  onTestFinished(() => appender[Symbol.dispose]());
  return appender;
}

describe.each([
  ['by a thread', 0],
  ["by Node's own threads", Number.POSITIVE_INFINITY],
  ["by both, Node's own first", 2],
])('%s', (_, first) => {
  test('what is appended is in the file when the promise resolves, in order, whatever comes meanwhile', async () => {
    const [path, appender] = [folder(), open(first)];
    const append = (file: number, round: number) =>
      appender.append(join(path, String(file)), Buffer.from(`${file}:${round}\n`), round === 0 ? 'new' : 'known');
    const rounds = [0, 1, 2];
    const files = Array.from({ length: 100 }, (_, file) => file);
    await Promise.all(
      files.map(async (file) => {
        for (const round of rounds) await append(file, round);
      }),
    );
    for (const file of files)
      expect(readFileSync(join(path, String(file)), 'utf8')).toBe(rounds.map((round) => `${file}:${round}\n`).join(''));
  });

  test('nobody else on the machine can read the files', async () => {
    const path = join(folder(), 'a');
    await open(first).append(path, Buffer.from('a'), 'new');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('a file that exists is not taken for a new one, and is left as it is; the others are written', async () => {
    const [path, appender] = [folder(), open(first)];
    writeFileSync(join(path, 'taken'), 'before');
    const refused = appender.append(join(path, 'taken'), Buffer.from('after'), 'new');
    const written = appender.append(join(path, 'free'), Buffer.from('free'), 'new');
    await expect(refused).rejects.toMatchObject({ code: 'EEXIST' });
    await written;
    expect(readFileSync(join(path, 'taken'), 'utf8')).toBe('before');
    expect(readFileSync(join(path, 'free'), 'utf8')).toBe('free');
  });

  test('a disk that does not take something is told to those who wait for that', async () => {
    const [path, appender] = [folder(), open(first)];
    const lost = appender.append(join(path, 'nowhere', 'a'), Buffer.from('a'), 'new');
    await expect(lost).rejects.toMatchObject({ code: 'ENOENT', message: expect.stringContaining('nowhere') });
    await appender.append(join(path, 'a'), Buffer.from('a'), 'new');
  });
});

test('those who wait when it is closed, and those who come later, hear that nothing more is written', async () => {
  const [path, appender] = [folder(), open()];
  const waiting = appender.append(join(path, 'a'), Buffer.from('a'), 'new');
  appender[Symbol.dispose]();
  await expect(waiting).rejects.toThrow('closed');
  await expect(appender.append(join(path, 'b'), Buffer.from('b'), 'new')).rejects.toThrow('closed');
});

test('an order that cannot be made, as where no thread can be started, is told to those who wait, and ends no process', async () => {
  const [path, appender] = [folder(), open()];
  // No process has as much memory.
  const tooMuch = Object.defineProperty(new Uint8Array(1), 'length', { value: Number.MAX_SAFE_INTEGER });
  const lost = appender.append(join(path, 'a'), tooMuch, 'new');
  const beside = appender.append(join(path, 'b'), Buffer.from('b'), 'new');
  await expect(lost).rejects.toThrow('Invalid typed array length');
  await expect(beside).rejects.toThrow('Invalid typed array length');
  await expect(appender.append(join(path, 'c'), Buffer.from('c'), 'new')).rejects.toThrow('Invalid typed array length');
});
