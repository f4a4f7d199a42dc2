import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ROOT, run } from './support/command.ts';
import { runFolder } from './support/runs.ts';

const README = readFileSync(`${ROOT}/README.md`, 'utf8');
const LINES = [...README.matchAll(/^npx tiltyard (.*?)\s+# .*$/gm)].map(([, line = '']) => line.trim().split(/\s+/));
const ENDING = LINES.filter(([command]) => command === 'check' || command === 'bench' || command === 'run');

test('the README shows how to serve, play, check, measure and run agents', () => {
  expect(LINES.map(([command]) => command)).toEqual([
    'dev',
    'play',
    'studio',
    'check',
    'check',
    'bench',
    'run',
    'run',
    'run',
  ]);
});

test.each(ENDING)('npx tiltyard %s %s %s ends well, as the README has it', { timeout: 60_000 }, async (...line) => {
  // In the folder of the repository otherwise.
  const out = line[0] === 'run' ? ['--out', runFolder()] : [];
  const command = run([...line.map(String), ...out]);
  expect(await command.exit, command.output()).toBe(0);
});
