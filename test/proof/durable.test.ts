import { expect, test } from 'vitest';
import { historyOf } from '../../proof/chaos/model.ts';
import { FAILPOINTS } from '../../proof/durable/failpoints.ts';
import { type DurableOptions, proveDurable } from '../../proof/durable/prove.ts';

// A server that starts on a busy machine takes its time, and each failpoint needs one.
const PATIENCE = { timeout: 900_000 };

async function expectProven(options: DurableOptions): Promise<void> {
  const { violations, faults, chronicle } = await proveDurable(options);
  expect(violations, violations.map(({ episode }) => historyOf(chronicle, episode))[0]).toEqual([]);
  expect(faults).toEqual([]);
  const scored = chronicle.client.filter((event) => event.what === 'answered' && event.answer.kind === 'scored');
  expect(scored.length).toBeGreaterThan(options.episodes);
}

// The long version is npm run chaos:durable.
test('J1, J2, J3, J11: what must hold does, whichever process is killed, and whenever', PATIENCE, () =>
  expectProven({
    seed: 4,
    episodes: 80,
    deaths: ['worker', 'server', 'worker', 'stop', 'server'],
    workers: 2,
    players: 10,
  }),
);

test('J1 to J8: what must hold does, also if a server dies at any step of its journal', PATIENCE, () =>
  expectProven({
    seed: 4,
    episodes: 60,
    deaths: FAILPOINTS,
    workers: 0,
    players: 10,
    standIns: ['mortal-journal', 'mortal-stores', 'mortal-tail', 'mortal-tables'],
  }),
);
