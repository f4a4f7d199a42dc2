import { expect, test } from 'vitest';
import { toPlan } from './plan.ts';

test('a plan without options is one round of ten seconds on 16 connections', () => {
  expect(toPlan({})).toEqual({
    unit: 'calls',
    connections: 16,
    rate: undefined,
    durationMs: 10_000,
    warmUpMs: 1_000,
    timeoutMs: 10_000,
    ramp: undefined,
    rounds: 1,
    totalMs: 11_000,
  });
});

test('a comparison has short rounds in turns, and its time is that of both servers', () => {
  expect(toPlan({ compare: 'other.ts' })).toMatchObject({ rounds: 5, durationMs: 3_000, totalMs: 40_000 });
});

test('a ramp doubles up to the connections that were asked for, and ends with them', () => {
  expect(toPlan({ ramp: true, connections: 12 }).ramp).toEqual([1, 2, 4, 8, 12]);
  expect(toPlan({ ramp: true, connections: 1 }).ramp).toEqual([1]);
  expect(toPlan({ ramp: true }).ramp?.at(-1)).toBe(1_024);
});

test('a ramp of rates begins with the rate, and keeps the connections', () => {
  const { ramp, connections } = toPlan({ ramp: true, rate: 50 });
  expect(ramp?.slice(0, 3)).toEqual([50, 100, 200]);
  expect(connections).toBe(16);
});
