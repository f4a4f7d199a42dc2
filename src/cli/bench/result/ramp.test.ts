import { expect, test } from 'vitest';
import { judgeRamp, type RampStep } from './ramp.ts';

const step = (load: number, perSecond: number, more: Partial<RampStep> = {}): RampStep => ({
  load,
  perSecond,
  p99Ms: 1,
  errorShare: 0,
  ...more,
});

test('a ramp goes on while throughput grows', () => {
  expect(judgeRamp([step(1, 100), step(2, 200), step(4, 390)], 'connections')).toEqual({ knee: 2, end: undefined });
  expect(judgeRamp([], 'connections')).toEqual({ knee: undefined, end: undefined });
});

test('two steps in a row that gain less than 10 % end it, and the knee is the one before them', () => {
  const steps = [step(1, 100), step(2, 180), step(4, 190), step(8, 195)];
  expect(judgeRamp(steps, 'connections')).toEqual({ knee: 1, end: 'throughput' });
});

test('a single step without a gain is taken for noise', () => {
  const steps = [step(1, 100), step(2, 101), step(4, 180), step(8, 181)];
  expect(judgeRamp(steps, 'connections')).toEqual({ knee: 2, end: undefined });
});

test('a fall counts as no gain', () => {
  expect(judgeRamp([step(1, 100), step(2, 50), step(4, 60)], 'connections')).toEqual({ knee: 0, end: 'throughput' });
});

test('errors end it at once, and a first step that fails has no knee', () => {
  const failing = step(4, 400, { errorShare: 0.02 });
  expect(judgeRamp([step(1, 100), step(2, 200), failing], 'connections')).toEqual({ knee: 1, end: 'errors' });
  expect(judgeRamp([failing], 'connections')).toEqual({ knee: undefined, end: 'errors' });
  expect(judgeRamp([step(1, 100), step(2, 200, { errorShare: 0.005 })], 'connections').end).toBeUndefined();
});

test('a 99th percentile that explodes ends it; a hiccup, or one that only doubles, does not', () => {
  const steps = [step(1, 100), step(2, 200, { p99Ms: 160 })];
  expect(judgeRamp(steps, 'connections')).toEqual({ knee: 0, end: 'latency' });
  expect(judgeRamp([step(1, 100), step(2, 200, { p99Ms: 90 })], 'connections').end).toBeUndefined();
  expect(judgeRamp([step(1, 100, { p99Ms: 90 }), step(2, 200, { p99Ms: 200 })], 'connections').end).toBeUndefined();
});

test('a rate that is not kept ends it, also when throughput still grows', () => {
  const steps = [step(100, 100), step(200, 199), step(400, 300)];
  expect(judgeRamp(steps, 'rate')).toEqual({ knee: 1, end: 'behind' });
});
