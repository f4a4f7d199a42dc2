import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { lintRules } from '../../src/checking/lint/lint.ts';
import { OXP_EXCUSED, oxpProbes } from '../../src/checking/referee/oxp/index.ts';

const text = readFileSync(new URL('../../docs/checking.md', import.meta.url), 'utf8');

test('every rule of the lint is explained, and no other', () => {
  const explained = [...text.matchAll(/^\| `(env\/[a-z-]+)`/gm)].map(([, id]) => id);
  expect(explained).toEqual(lintRules.map(({ id }) => id));
});

test.each(lintRules)('$id is explained with the advice that a report gives', ({ id, advice }) => {
  const row = text.split('\n').find((line) => line.startsWith(`| \`${id}\` |`)) ?? '';
  expect(row.split(' | ')[2]).toBe(`${advice} |`);
});

test.each(oxpProbes)('the probe $id of OXP is listed with whether it calls tools', ({ id, isActive = false }) => {
  const row = text.split('\n').find((line) => new RegExp(`^\\|[A-Z0-9 ]*\\b${id}\\b[A-Z0-9 ]*\\|`).test(line)) ?? '';
  expect(row).toMatch(isActive ? /\| yes \|$/ : /\| \|$/);
});

test.each(Object.keys(OXP_EXCUSED))('%s is listed as not checked', (id) => {
  expect(text).toMatch(new RegExp(`Not checked[^.]*\\b${id} \\(`));
});
