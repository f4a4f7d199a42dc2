import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ROOT, run } from './support/command.ts';

const README = readFileSync(`${ROOT}/README.md`, 'utf8');
const LINES = [...README.matchAll(/^npx tiltyard (.*?)\s+# .*$/gm)].map(([, line = '']) => line.trim().split(/\s+/));
const ENDING = LINES.filter(([command]) => command === 'check' || command === 'bench');

test('the README shows how to serve, play, check and measure', () => {
  expect(LINES.map(([command]) => command)).toEqual(['dev', 'play', 'check', 'check', 'bench']);
});

test.each(ENDING)('npx tiltyard %s %s %s ends well, as the README has it', { timeout: 60_000 }, async (...line) => {
  const command = run(line.map(String));
  expect(await command.exit, command.output()).toBe(0);
});
