import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { logBatches } from './log-batches.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function collected() {
  const writes: string[] = [];
  return { writes, target: { write: (batch: string) => void writes.push(batch) } };
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
  for (let count = 0; count < 1_200; count += 1) batches.write('line\n');
  expect(writes.join('').length).toBe(1_000 * 'line\n'.length);
});

test('a line can be made with the batch', () => {
  const { writes, target } = collected();
  using batches = logBatches(target);
  let made = 0;
  batches.write('first\n');
  batches.write(() => {
    made += 1;
    return `made ${made}\n`;
  });
  expect(made).toBe(0);
  vi.advanceTimersByTime(10);
  expect(writes).toEqual(['first\nmade 1\n']);
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

test('a line that is made later keeps its place before those that come as text', () => {
  const { writes, target } = collected();
  using batches = logBatches(target);
  const made: string[] = [];
  const later = (line: string) => () => {
    made.push(line);
    return line;
  };
  batches.write(later('call\n'));
  batches.write(later('another\n'));
  expect(made).toEqual([]);
  batches.write('request\n');
  expect(made).toEqual(['call\n', 'another\n']);
  vi.advanceTimersByTime(10);
  expect(writes).toEqual(['call\nanother\nrequest\n']);
});

test('lines that are made later are bounded as well', () => {
  const { writes, target } = collected();
  using batches = logBatches(target);
  for (let count = 0; count < 1_200; count += 1) batches.write(() => 'line\n');
  expect(writes.join('').length).toBe(1_000 * 'line\n'.length);
});
