import { expect, test } from 'vitest';
import { NumberMap } from './number-map.ts';

test('behaves as a Map does, whatever comes and goes, also where many want the same slot', () => {
  const map = new NumberMap<string>();
  const expected = new Map<number, string>();
  // A few keys that meet, numbers that grow, and one that stays for long.
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed % below;
  };
  for (let step = 1; step <= 20_000; step += 1) {
    const key = random(2) === 0 ? random(40) * 64 : step - random(30);
    if (random(5) < 3) {
      expect(map.delete(key)).toBe(expected.delete(key));
    } else {
      map.set(key, `${step}`);
      expected.set(key, `${step}`);
    }
    const asked = random(2) === 0 ? key : random(40) * 64;
    expect(map.get(asked)).toBe(expected.get(asked));
    expect(map.size).toBe(expected.size);
  }
  expect(map.size).toBeGreaterThan(10);
  expect(map.entries().sort(([a], [b]) => a - b)).toEqual([...expected].sort(([a], [b]) => a - b));
  expect(map.values().sort()).toEqual([...expected.values()].sort());
  map.clear();
  expect([map.size, map.get(64), map.values()]).toEqual([0, undefined, []]);
});

test('takes numbers that need more than 32 bits', () => {
  const map = new NumberMap<string>();
  const large = [2 ** 40, 2 ** 40 + 16, Number.MAX_SAFE_INTEGER];
  for (const key of large) map.set(key, `${key}`);
  expect(map.delete(2 ** 40)).toBe(true);
  expect(large.map((key) => map.get(key))).toEqual([undefined, `${2 ** 40 + 16}`, `${Number.MAX_SAFE_INTEGER}`]);
});
