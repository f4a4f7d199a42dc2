import { describe, expect, test } from 'vitest';
import { historyOf } from '../../proof/chaos/model.ts';
import { type ClusterOptions, proveCluster } from '../../proof/cluster/prove.ts';
import { findNats } from '../cluster/nats-programs.ts';
import { skipAloud } from '../support/needed.ts';

// Seven processes on a busy machine take their time.
const PATIENCE = { timeout: 600_000 };

const nats = await findNats();
if ('missing' in nats) skipAloud('chaos in a cluster', nats.missing);

describe.skipIf('missing' in nats)('chaos in a cluster', () => {
  const prove = (options: Omit<ClusterOptions, 'nats'>) =>
    proveCluster({ ...options, nats: nats as ClusterOptions['nats'] });

  // The long version is npm run chaos:cluster.
  test('N1 to N6: what must hold does while nodes die, stand still, are cut off and stop', PATIENCE, async () => {
    const { violations, faults, chronicle } = await prove({
      seed: 4,
      episodes: 30,
      players: 8,
      troubles: [
        ['kill', 'pause'],
        ['cut', 'drain'],
      ],
    });
    expect(violations, violations.map(({ episode }) => historyOf(chronicle, episode))[0]).toEqual([]);
    expect(faults).toEqual([]);
    const scored = chronicle.client.filter((event) => event.what === 'answered' && event.answer.kind === 'scored');
    expect(scored.length).toBeGreaterThan(30);
  });

  /** Nodes from which something is missing, and what happens to them. */
  const CONTROLS: readonly (Pick<ClusterOptions, 'kinds' | 'environments' | 'tools' | 'troubles' | 'standIns'> & {
    readonly what: string;
  })[] = [
    {
      what: 'writes after whatever record is the last one',
      standIns: ['unfenced'],
      kinds: ['raw'],
      environments: ['saved'],
      tools: ['add'],
      troubles: [['pause', 'pause', 'pause', 'pause', 'pause', 'pause']],
    },
    {
      what: 'tells the ids of calls only with their results',
      standIns: ['unannounced-anywhere'],
      kinds: ['bare'],
      environments: ['saved'],
      tools: ['add'],
      troubles: [['kill', 'kill', 'kill', 'kill', 'kill', 'kill']],
    },
  ];

  // What the model finds in these nodes it would find in ours.
  test.each(CONTROLS)('a cluster that $what is found out', PATIENCE, async ({ what, ...options }) => {
    const { violations } = await prove({ seed: 4, episodes: 60, players: 12, ...options });
    expect(violations.map(({ rule }) => rule)).toContain(
      'totals are right: each call that was told counts once, and nothing else does',
    );
  });
});
