import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { logBatches } from './log-batches.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function collected() {
  const writes: string[] = [];
  return { writes, target: { write: (batch: Uint8Array) => void writes.push(Buffer.from(batch).toString()) } };
}

test('the lines of a moment are written in one piece, in order', () => {
  const { writes, target } = collected();
  using batches = logBatches(target);
  batches.write('one\n');
  batches.write('two\n');
  expect(writes).toEqual([]);
  vi.advanceTimersByTime(10);
  expect(writes).toEqual(['one\ntwo\n']);
  batches.write('three\n');
  vi.advanceTimersByTime(10);
  expect(writes).toEqual(['one\ntwo\n', 'three\n']);
});

test('a burst is not held back', () => {
  const { writes, target } = collected();
  using batches = logBatches(target);
  const line = `${'x'.repeat(1023)}\n`;
  for (let count = 0; count < 200; count += 1) batches.write(line);
  expect(writes.join('').length).toBeGreaterThan(100 * 1024);
});

test('lines of any length and any characters arrive as they were', () => {
  const { writes, target } = collected();
  const lines = ['é'.repeat(20_000), 'x'.repeat(100_000), '🎲'.repeat(15_000), 'short'].map((text) => `${text}\n`);
  {
    using batches = logBatches(target);
    for (const line of lines) batches.write(line);
  }
  expect(writes.join('') === lines.join('')).toBe(true);
});

test('what is left is written at the end, and nothing of it stays behind', () => {
  const { writes, target } = collected();
  const before = process.listenerCount('exit');
  const batches = logBatches(target);
  batches.write('last words\n');
  batches[Symbol.dispose]();
  expect(writes).toEqual(['last words\n']);
  expect(process.listenerCount('exit')).toBe(before);
  expect(vi.getTimerCount()).toBe(0);
});
