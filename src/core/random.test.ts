import { expect, test } from 'vitest';
import { chanceOf, seedOf } from './random.ts';

function take(count: number, random: () => number): number[] {
  return Array.from({ length: count }, random);
}

// Episodes that were begun by an older version are built again by a newer one: these values must never change.
test('a seed and a name give the same numbers for ever', () => {
  expect(take(3, chanceOf(1, 'setup'))).toEqual([0.051868940928535445, 0.2729616503889447, 0.23460454977199585]);
  expect(take(3, chanceOf(281_474_976_710_654, 'call c1'))).toEqual([
    0.2008369172962312, 0.5362471661400064, 0.29481488472460393,
  ]);
  expect(seedOf('call-1')).toBe(102_775_946_278_001);
});

test('another seed or another name gives other numbers', () => {
  const rows = [chanceOf(1, 'call a'), chanceOf(1, 'call b'), chanceOf(2, 'call a'), chanceOf(11, ' call a')];
  expect(new Set(rows.map((row) => row())).size).toBe(4);
});

test('numbers are spread evenly from 0 to below 1', () => {
  const numbers = take(20_000, chanceOf(7, 'setup'));
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
  const counts = new Array<number>(10).fill(0);
  for (const number of numbers) counts[Math.floor(number * 10)] = (counts[Math.floor(number * 10)] ?? 0) + 1;
  // 2,000 each, with a standard deviation of 42.
  for (const count of counts) expect(Math.abs(count - 2_000)).toBeLessThan(250);
  expect(new Set(numbers).size).toBe(numbers.length);
});
