import { expect, test } from 'vitest';
import { toFailure } from './model-failure.ts';

test.each([429, 500, 503])('a provider that answers %i makes a run wait for ten minutes at the most', (status) => {
  const waitFor = (retryAfter: string) =>
    toFailure(status, '{}', new Headers({ 'retry-after': retryAfter })).retryAfterMs;
  expect(waitFor('2')).toBe(2_000);
  expect(waitFor('86400')).toBe(600_000);
  // Longer than any timer runs: it would go off at once.
  expect(waitFor('99999999999')).toBe(600_000);
  expect(waitFor('Fri, 01 Jan 2100 00:00:00 GMT')).toBe(600_000);
  expect(waitFor('Thu, 01 Jan 1970 00:00:00 GMT')).toBe(0);
  expect(waitFor('soon')).toBeUndefined();
});
