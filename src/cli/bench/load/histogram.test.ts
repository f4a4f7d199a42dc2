import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Histogram, MAX_MICROS } from './histogram.ts';

const SHARES = [0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1];

const micros = fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: MAX_MICROS }));

function histogramOf(values: readonly number[]): Histogram {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value / 1000);
  return histogram;
}

function exactPercentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(1, Math.ceil(sorted.length * share)) - 1] ?? 0;
}

test('a percentile is never below the exact one, and above it by less than 1/128', () => {
  fc.assert(
    fc.property(fc.array(micros, { minLength: 1, maxLength: 200 }), (values) => {
      const histogram = histogramOf(values);
      const sorted = [...values].sort((a, b) => a - b);
      for (const share of SHARES) {
        const exact = exactPercentile(sorted, share);
        const found = histogram.percentileMicros(share);
        expect(found).toBeGreaterThanOrEqual(exact);
        expect(found - exact).toBeLessThanOrEqual(exact / 128);
      }
    }),
  );
});

test('up to 256 us, and at both ends, values are exact', () => {
  const histogram = histogramOf([7, 100, 255, 123_456_789]);
  expect(histogram.percentileMicros(0.25)).toBe(7);
  expect(histogram.percentileMicros(0.5)).toBe(100);
  expect(histogram.percentileMicros(0.75)).toBe(255);
  expect(histogram.percentileMicros(1)).toBe(123_456_789);
  expect([histogram.minMicros, histogram.maxMicros]).toEqual([7, 123_456_789]);
});

test('every value is inside the bucket that counts it, and buckets do not overlap', () => {
  fc.assert(
    fc.property(fc.array(micros, { minLength: 1, maxLength: 100 }), (values) => {
      const buckets = [...histogramOf(values).buckets()];
      let end = 0;
      for (const { fromMicros, toMicros, count } of buckets) {
        expect(fromMicros).toBeGreaterThanOrEqual(end);
        expect(values.filter((value) => value >= fromMicros && value < toMicros)).toHaveLength(count);
        end = toMicros;
      }
      expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe(values.length);
    }),
  );
});

test('two histograms added are the histogram of all values', () => {
  const [left, right] = [histogramOf([1, 500, 90_000]), histogramOf([3, 1_000_000])];
  left.add(right);
  const all = histogramOf([1, 500, 90_000, 3, 1_000_000]);
  expect([...left.buckets()]).toEqual([...all.buckets()]);
  expect([left.count, left.meanMicros, left.minMicros, left.maxMicros]).toEqual([
    all.count,
    all.meanMicros,
    all.minMicros,
    all.maxMicros,
  ]);
});

test('an empty histogram has no percentiles, and what is out of range is counted at the end of it', () => {
  expect([new Histogram().percentileMicros(0.99), new Histogram().meanMicros]).toEqual([0, 0]);
  expect(histogramOf([-5]).percentileMicros(1)).toBe(0);
  expect(histogramOf([MAX_MICROS * 3]).percentileMicros(1)).toBe(MAX_MICROS);
});
