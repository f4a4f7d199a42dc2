import { expect, test } from 'vitest';
import { restsFor } from './rests.ts';

test('a batch that was just sent is written with rests, and one that had to wait is not', () => {
  expect(restsFor(Date.now())).toBeTypeOf('function');
  expect(restsFor(Date.now() - 1_000)).toBeUndefined();
});

test('rests end while the batch is written, also if the clock was set back since it was sent', () => {
  const rest = restsFor(Date.now() + 3_600_000);
  work(100);
  const restedMs = Array.from({ length: 50 }, () => {
    work(0.3);
    const begunAt = performance.now();
    rest?.();
    return performance.now() - begunAt;
  });
  // The shortest: whatever else the machine does may make any of them longer.
  expect(Math.min(...restedMs)).toBeLessThan(0.5);
});

function work(ms: number): void {
  const begunAt = performance.now();
  while (performance.now() - begunAt < ms);
}
