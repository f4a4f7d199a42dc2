import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { logBatches } from './log-batches.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function collected() {
  const writes: string[] = [];
  const target = {
    write(batch: Uint8Array, onWritten: () => void) {
      writes.push(Buffer.from(batch).toString());
      onWritten();
    },
  };
  return { writes, target };
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
  const lines = Array.from(
    { length: 3_000 },
    (_, count) => `line ${count} of a hundred bytes or so ${'.'.repeat(60)}\n`,
  );
  for (const line of lines) batches.write(line);
  expect(writes.length).toBeGreaterThan(3);
  vi.advanceTimersByTime(10);
  expect(writes.join('')).toBe(lines.join(''));
});

test('a line may be of any length and of any characters', () => {
  const { writes, target } = collected();
  using batches = logBatches(target);
  const lines = ['before\n', `${'€🎲'.repeat(30_000)}\n`, 'after ü\n', `${'x'.repeat(200_000)}\n`, 'last\n'];
  for (const line of lines) batches.write(line);
  vi.advanceTimersByTime(10);
  expect(writes.join('')).toBe(lines.join(''));
});

test('a batch is not touched before it has been written', () => {
  const held: { batch: Uint8Array; onWritten: () => void }[] = [];
  using batches = logBatches({ write: (batch, onWritten) => void held.push({ batch, onWritten }) });
  for (const line of ['one\n', 'two\n', 'three\n']) {
    batches.write(line);
    vi.advanceTimersByTime(10);
  }
  expect(held.map(({ batch }) => Buffer.from(batch).toString())).toEqual(['one\n', 'two\n', 'three\n']);
  for (const { onWritten } of held) onWritten();
  batches.write('four\n');
  vi.advanceTimersByTime(10);
  expect(held.map(({ batch }) => Buffer.from(batch).toString()).at(-1)).toBe('four\n');
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
  const { target } = collected();
  using batches = logBatches(target);
  let made = 0;
  const line = () => {
    made += 1;
    return 'line\n';
  };
  for (let count = 0; count < 100; count += 1) batches.write(line);
  expect(made).toBe(96);
});
