import { expect, test } from 'vitest';
import { formatBytes, formatCount, formatMs, formatReward, formatShare } from './format.ts';

test.each([
  [1, '+1.00'],
  [-0.05, '\u22120.05'],
  [0, '0.00'],
  [0.123456, '+0.123'],
  [0.001, '+0.001'],
  [12345.6, '+12346'],
  [1e-9, '+1.00e-9'],
  [null, 'none'],
])('a reward of %s is shown as %s', (reward, text) => {
  expect(formatReward(reward)).toBe(text);
});

test('figures are short enough to compare at a glance', () => {
  expect([formatCount(9999), formatCount(12_345), formatCount(1_900_000)]).toEqual(['9,999', '12.3 k', '1.9 M']);
  expect([formatMs(0.2), formatMs(12.4), formatMs(4100), formatMs(150_000)]).toEqual([
    '< 1 ms',
    '12 ms',
    '4.1 s',
    '2 min 30 s',
  ]);
  expect([formatBytes(12), formatBytes(3174), formatBytes(5_242_880)]).toEqual(['12 B', '3.1 KB', '5.0 MB']);
  expect([formatShare(1), formatShare(0.985), formatShare(0.00013)]).toEqual(['100 %', '98.5 %', '0.01 %']);
});
