import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// How many numbered requirements each group of the list for OXP has; those of its client (K) have tests of their own.
const GROUPS = { O: 7, V: 3, T: 5, E: 7, I: 4, S: 6 };

const HERE = new URL('.', import.meta.url);

const names = readdirSync(HERE)
  .filter((name) => name.endsWith('.test.ts'))
  .map((name) => readFileSync(new URL(name, HERE), 'utf8'))
  .join('\n');

test.each(Object.entries(GROUPS))('every requirement of group %s of OXP has a test with its id', (group, count) => {
  const ids = Array.from({ length: count }, (_, index) => `${group}${index + 1}`);
  // The id begins a test's name, alone or in a list: 'OXP T2: ...', 'OXP E1, S4: ...'.
  expect(ids.filter((id) => !new RegExp(`['"\`]OXP (?:[A-Z]\\d+, )*${id}(?:, [A-Z]\\d+)*: `).test(names))).toEqual([]);
});
