import { expect, test } from 'vitest';
import { ATTACKS } from '../../proof/siege/attacks.ts';
import { playHere } from '../../proof/siege/play-here.ts';
import { proveSiege } from '../../proof/siege/prove.ts';

// All of them at once, beside official clients: npm run siege.
test.each(Object.keys(ATTACKS))('a server with a heap of 512 MB survives: %s', { timeout: 120_000 }, async (attack) => {
  const proof = await proveSiege({ attacks: [attack], honest: playHere });
  expect(proof.ended).toBeUndefined();
  expect(proof.seen.get(attack)).toBeDefined();
  // Another tenant does not notice.
  expect(proof.failures).toEqual([]);
  expect(proof.episodes).toBeGreaterThan(0);
});
