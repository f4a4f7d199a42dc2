import { expect, test } from 'vitest';
import { proveRuns } from '../../proof/runs/prove.ts';

test('Q11: memory does not grow with the episodes of a run', { timeout: 600_000 }, async () => {
  const { samples, summary, grownBytes } = await proveRuns({ episodes: 2_000, samples: 10, onSample() {} });
  expect(summary.episodes.valid).toBe(2_000);
  expect(samples.length).toBeGreaterThan(2);
  expect(grownBytes).toBeLessThan(50 * 2 ** 20);
});
