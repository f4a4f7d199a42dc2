import { expect, test } from 'vitest';
import { toBar, toSparkline } from './bars.ts';

test('a bar is as long as its share, to an eighth of a character', () => {
  expect(toBar(1, 4, 'blocks')).toBe('████');
  expect(toBar(0.5, 4, 'ascii')).toBe('##');
  expect(toBar(0.5 + 1 / 32, 4, 'blocks')).toBe('██▏');
});

test('what is not nothing is seen, and nothing is not', () => {
  expect([toBar(1e-6, 10, 'blocks'), toBar(1e-6, 10, 'ascii')]).toEqual(['▏', '#']);
  expect([toBar(0, 10, 'blocks'), toBar(0, 10, 'ascii')]).toEqual(['', '']);
});

test('a sparkline begins at zero, and never has more columns than there is room for', () => {
  expect(toSparkline([0, 4, 8], 10, 'blocks')).toBe('▁▅█');
  expect(toSparkline([0, 8], 10, 'ascii')).toBe('_#');
  expect(toSparkline([0, 0, 0], 10, 'blocks')).toBe('▁▁▁');
  expect(toSparkline([1, 1, 8, 8, 1, 1], 3, 'ascii')).toBe('.#.');
  expect(toSparkline([], 10, 'ascii')).toBe('');
});
