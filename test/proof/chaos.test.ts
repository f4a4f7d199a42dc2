import { expect, test } from 'vitest';
import { historyOf } from '../../proof/chaos/model.ts';
import { proveChaos } from '../../proof/chaos/prove.ts';

// The long version is npm run chaos.
test('what must hold does, whatever clients, tools and networks do', { timeout: 120_000 }, async () => {
  const { violations, faults, chronicle } = await proveChaos({ seed: 4, durationMs: 4_000, clients: 3, restarts: 2 });
  expect(violations, violations.map(({ episode }) => historyOf(chronicle, episode))[0]).toEqual([]);
  expect(faults).toEqual([]);
  const scored = chronicle.client.filter((event) => event.what === 'answered' && event.answer.kind === 'scored');
  expect(chronicle.killed.size).toBe(1);
  expect(scored.length).toBeGreaterThan(0);
});
