import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// How many numbered requirements each group of the conformance list has.
const GROUPS = { G: 19, D: 30, S: 32, P: 13, C: 31, E: 13, R: 13, L: 12, X: 6, K: 21 };

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

function testNames(): string {
  return ['test', 'src']
    .flatMap((folder) =>
      readdirSync(`${ROOT}/${folder}`, { recursive: true, encoding: 'utf8' }).map(
        (name) => `${ROOT}/${folder}/${name}`,
      ),
    )
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
}

test.each(Object.entries(GROUPS))('every requirement of group %s has a test that carries its id', (group, count) => {
  const names = testNames();
  const ids = Array.from({ length: count }, (_, index) => `${group}${index + 1}`);
  // The id begins a test's name, alone or in a list: 'S16: ...', 'E5, E6: ...'.
  expect(ids.filter((id) => !new RegExp(`['"\`](?:[A-Z]\\d+, )*${id}(?:, [A-Z]\\d+)*: `).test(names))).toEqual([]);
});
