import { expect, test } from 'vitest';
import { excessIn } from './json-bounds.ts';

test.each([
  ['{"a":[1,2,{"b":"c"}]}'.repeat(100), undefined],
  [`${'['.repeat(1_000)}${']'.repeat(1_000)}`, undefined],
  ['['.repeat(1_001), 'is nested more than 1000 deep'],
  ['{"a":'.repeat(1_001), 'is nested more than 1000 deep'],
  [`[${'[],'.repeat(2_600_000)}]`, 'has more than 5000000 values'],
  [JSON.stringify(['['.repeat(5_000), '"'.repeat(2_000), '\\'.repeat(2_001), ','.repeat(6_000_000)]), undefined],
])('what is too much is found by its brackets and commas, not by those in strings', (json, excess) => {
  expect(excessIn(json)).toBe(excess);
});
