import { expect, test } from 'vitest';
import { liveBytes, MEGABYTE } from '../../test/support/memory.ts';
import { cutText } from './cut-text.ts';

test('a text is cut to its first characters, with a mark, and a shorter one is left alone', () => {
  expect(cutText('four', 4)).toBe('four');
  expect(cutText('fives', 4)).toBe('five…');
  expect(cutText('fives', 4, ' [cut]')).toBe('five [cut]');
});

test('no character is cut in two, and none is lost', () => {
  expect(cutText('a🙂b', 2)).toBe('a…');
  expect(cutText('a🙂b', 3)).toBe('a🙂…');
  expect(cutText('\ufeffab', 2)).toBe('\ufeffa…');
});

test('what is left of a long text does not keep the rest of it in memory', async () => {
  const before = await liveBytes();
  const kept = Array.from({ length: 20 }, (_, number) => cutText(`${number}`.padEnd(2 * MEGABYTE, '-'), 200));
  expect((await liveBytes()) - before).toBeLessThan(10 * MEGABYTE);
  expect(kept.map(({ length }) => length)).toEqual(kept.map(() => 201));
});
