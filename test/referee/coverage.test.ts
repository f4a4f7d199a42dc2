import { expect, test } from 'vitest';
import { orsProbes, UNTESTED } from '../../src/checking/referee/ors/index.ts';
import { callBreakages } from './breakages/calls.ts';
import { discoveryBreakages } from './breakages/discovery.ts';
import { httpBreakages } from './breakages/http.ts';
import { readBreakages } from './breakages/reads.ts';
import { reconnectBreakages } from './breakages/reconnects.ts';
import { redirectBreakages } from './breakages/redirects.ts';
import { sessionBreakages } from './breakages/sessions.ts';
import { streamBreakages } from './breakages/streams.ts';

// How many numbered requirements each group of the conformance list has; test/ors/coverage.test.ts has the same.
const GROUPS = { G: 18, D: 30, S: 32, P: 13, C: 31, E: 13, R: 13, L: 12, X: 6, K: 21 };

const BREAKAGES = [
  ...httpBreakages,
  ...discoveryBreakages,
  ...redirectBreakages,
  ...sessionBreakages,
  ...readBreakages,
  ...callBreakages,
  ...streamBreakages,
  ...reconnectBreakages,
];

const listed = Object.entries(GROUPS).flatMap(([group, count]) =>
  Array.from({ length: count }, (_, index) => `${group}${index + 1}`),
);

test('every requirement of the list is either probed or excused, and never both', () => {
  const probed = new Set(orsProbes.map(({ id }) => id));
  expect(listed.filter((id) => probed.has(id) === id in UNTESTED)).toEqual([]);
});

test('every probe and every excuse is of a requirement of the list', () => {
  // C8a is the second half of C8: what official clients get.
  const named = [...orsProbes.map(({ id }) => id.replace(/a$/, '')), ...Object.keys(UNTESTED)];
  expect(named.filter((id) => !listed.includes(id))).toEqual([]);
});

test('no two probes have the same id, and each says what it wants in a sentence', () => {
  const ids = orsProbes.map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  for (const { requirement, source } of orsProbes) {
    expect(requirement).toMatch(/^[A-Z/"`O].*\.$|^null .*\.$|^finished .*\.$|^\/.*\.$/);
    expect(source).not.toBe('');
  }
});

test('the requirements about sessions are reported in the order of their numbers, whatever file they stand in', () => {
  const numbers = orsProbes.filter(({ group }) => group === 'Sessions').map(({ id }) => Number(id.slice(1)));
  expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
});

test('what is specified has a place in the texts', () => {
  const place = /^ors-(http-api|data-types|tools)\.txt:\d[\d,-]*(, ors-(http-api|data-types|tools)\.txt:\d[\d,-]*)*$/;
  const specified = orsProbes.filter(({ level }) => level === 'specified');
  expect(specified.filter(({ source }) => !place.test(source)).map(({ id }) => id)).toEqual([]);
});

test('every probe is proved by a server that breaks its rule', () => {
  // P10 and X3 take another server than the one that is broken; a race decides, or there must be one environment.
  const unproved = ['P10', 'X3'];
  const caught = new Set([...unproved, ...BREAKAGES.flatMap(([, ids]) => ids)]);
  expect(orsProbes.map(({ id }) => id).filter((id) => !caught.has(id))).toEqual([]);
});
