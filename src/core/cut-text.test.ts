import { expect, test } from 'vitest';
import { liveBytes, MEGABYTE } from '../../test/support/memory.ts';
import { cutText } from './cut-text.ts';

test('a text is whole up to the limit, and one that is cut says so', () => {
  expect(cutText('12345', 5)).toBe('12345');
  expect(cutText('123456', 5)).toBe('12345…');
});

test('what is left of a long text does not keep the rest of it in memory', async () => {
  const before = await liveBytes();
  const kept = Array.from({ length: 20 }, (_, number) => cutText(`${number}`.padEnd(2 * MEGABYTE, '-'), 200));
  expect((await liveBytes()) - before).toBeLessThan(10 * MEGABYTE);
  expect(kept.map(({ length }) => length)).toEqual(kept.map(() => 201));
});
