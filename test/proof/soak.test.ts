import { expect, test } from 'vitest';
import { slopeOf } from '../../bench/slope.ts';
import { proveSoak } from '../../proof/soak/prove.ts';

const MEGABYTE = 2 ** 20;

// The long version is npm run soak.
test('sessions and calls leave nothing behind', { timeout: 120_000 }, async () => {
  const { samples, leftovers } = await proveSoak({ sessions: 2_000, callsPerSession: 10, samples: 2 });
  expect(leftovers).toEqual([]);
  expect(samples.at(-1)?.calls).toBe(20_000);
  const [first, last] = samples.map(({ liveBytes }) => liveBytes);
  // A server still being compiled grows a little; a kilobyte for each call would be ten times as much as this.
  expect((last ?? 0) - (first ?? 0)).toBeLessThan(MEGABYTE);
});

test('a line through the points tells how steeply they rise', () => {
  expect(slopeOf([])).toBe(0);
  expect(
    slopeOf([
      [0, 5],
      [10, 5],
      [20, 5],
    ]),
  ).toBe(0);
  expect(
    slopeOf([
      [0, 1],
      [1, 4],
      [2, 5],
    ]),
  ).toBe(2);
});
