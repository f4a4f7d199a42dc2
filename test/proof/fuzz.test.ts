import { expect, test } from 'vitest';
import { proveFuzz } from '../../proof/fuzz/prove.ts';

const MEGABYTE = 2 ** 20;

// The long version is npm run fuzz.
test('no malformed request goes unanswered, gets a 5xx or breaks the server', { timeout: 120_000 }, async () => {
  const proof = await proveFuzz({ requests: 2_000, seed: 11, settleMs: 0 });
  expect(proof.offences).toEqual([]);
  expect(proof.errorLines).toEqual([]);
  expect(proof.sent).toBeGreaterThanOrEqual(2_000);
  expect(proof.grownBytes).toBeLessThan(32 * MEGABYTE);
});
