import { expect, test } from 'vitest';
import { logBatches } from './log-batches.ts';

function collected() {
  const writes: string[] = [];
  return { writes, target: { write: (text: string) => void writes.push(text) } };
}

test('the lines of a turn are written in one piece, in order', async () => {
  const { writes, target } = collected();
  using batches = logBatches(target);
  batches.write('one\n');
  batches.write('two\n');
  expect(writes).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(writes).toEqual(['one\ntwo\n']);
  batches.write('three\n');
  await new Promise((resolve) => setImmediate(resolve));
  expect(writes).toEqual(['one\ntwo\n', 'three\n']);
});

test('a burst is not held back until the turn ends', () => {
  const { writes, target } = collected();
  using batches = logBatches(target);
  const line = `${'x'.repeat(1023)}\n`;
  for (let count = 0; count < 100; count += 1) batches.write(line);
  expect(writes.join('').length).toBeGreaterThan(64 * 1024);
});

test('what is left is written at the end, and the process forgets about it', () => {
  const { writes, target } = collected();
  const before = process.listenerCount('exit');
  const batches = logBatches(target);
  batches.write('last words\n');
  batches[Symbol.dispose]();
  expect(writes).toEqual(['last words\n']);
  expect(process.listenerCount('exit')).toBe(before);
});
