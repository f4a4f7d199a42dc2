import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// How many numbered requirements each group has: of the conformance list, and then of workers (H), of durable episodes (J), of MCP (M) and of runs (Q).
const GROUPS = { G: 19, D: 30, S: 32, P: 13, C: 31, E: 13, R: 13, L: 12, X: 6, K: 21, H: 11, J: 14, M: 25, Q: 23 };

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The sources of all tests, and of the measurements, whose verdicts carry the ids of what is a matter of speed (H9, J13). */
function testNames(): string {
  return ['test', 'src', 'bench/measurements']
    .flatMap((folder) =>
      readdirSync(`${ROOT}/${folder}`, { recursive: true, encoding: 'utf8' }).map(
        (name) => `${ROOT}/${folder}/${name}`,
      ),
    )
    .filter((path) => /\.test\.ts$|\/bench\/measurements\/.*\.ts$/.test(path))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
}

test.each(Object.entries(GROUPS))('every requirement of group %s has a test that carries its id', (group, count) => {
  const names = testNames();
  const ids = Array.from({ length: count }, (_, index) => `${group}${index + 1}`);
  // The id begins a test's name, alone or in a list: 'S16: ...', 'E5, E6: ...'.
  expect(ids.filter((id) => !new RegExp(`['"\`](?:[A-Z]\\d+, )*${id}(?:, [A-Z]\\d+)*: `).test(names))).toEqual([]);
});
