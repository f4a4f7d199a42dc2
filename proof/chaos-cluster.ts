// npm run chaos:cluster: episodes on three nodes of a cluster that die, stand still, are cut off and stop, on NATS whose leaders die.
// SEED, EPISODES and SECONDS change it.

import { findNats } from '../test/cluster/nats-programs.ts';
import { preparePython } from '../test/interop/python-environment.ts';
import { historyOf } from './chaos/model.ts';
import { CLUSTER_RULES } from './cluster/model.ts';
import { type ClusterProof, proveCluster } from './cluster/prove.ts';
import type { Trouble } from './cluster/troubles.ts';
import { countPlayed } from './durable/counts.ts';
import { random } from './random.ts';
import { table, writeReport } from './report.ts';
import { readWholeNumber } from './settings.ts';

const seed = readWholeNumber('SEED', { otherwise: Date.now() % 1_000_000, least: 0 });
const episodes = readWholeNumber('EPISODES', { otherwise: 500 });
const seconds = readWholeNumber('SECONDS', { otherwise: 300 });
const SHOWN = 10;

// More than there is time for.
const MOST = 10_000;

process.stderr.write(`seed ${seed}\n`);
const nats = await findNats();
if ('missing' in nats) {
  process.stderr.write(`nats-server is needed, and ${nats.missing}\n`);
  process.exit(1);
}
const python = await preparePython().catch((thrown: Error) => {
  process.stderr.write(`the official Python clients do not play: ${thrown.message}\n`);
  return undefined;
});
const proof = await proveCluster({
  seed,
  python,
  episodes,
  players: 16,
  nats,
  // Two nodes at a time, so that one is well.
  troubles: [nodeTroubles(seed), nodeTroubles(seed + 1), natsTroubles()],
  until: Date.now() + seconds * 1_000,
  onProgress: (line) => process.stderr.write(`${line}\n`),
});

const { violations, faults, chronicle } = proof;
await writeReport({
  name: 'chaos-cluster',
  title: 'Chaos: a cluster',
  command: `SEED=${seed} EPISODES=${episodes} SECONDS=${seconds} npm run chaos:cluster`,
  isProven: violations.length === 0 && faults.length === 0,
  body: [
    `Episodes of environments with every contract, on three nodes behind a plain TCP round robin, with ${nats.count === 3 ? 'three current servers of NATS (R3)' : 'one server of NATS of the distribution (R1), because a current one was not found'}. Nodes are killed with SIGKILL, stand still (SIGSTOP), are cut off from NATS and told to stop, two of three at a time; the server of NATS that leads is killed and started again. Clients: ours, over connections that break; bare sockets that choose the ids of their calls; bare sockets that are told them; and ${python === undefined ? 'not the official ones in Python, which were not found' : 'the official ones in Python (ors-sdk and openreward), unmodified, on what is kept'}.`,
    table(['what happened', 'count'], counts(proof)),
    table(
      ['what must hold', 'violations'],
      Object.keys(CLUSTER_RULES).map((rule) => [rule, violations.filter((each) => each.rule === rule).length]),
    ),
    // One for each rule: the others are often the same once more.
    ...violations
      .filter(({ rule }, index) => violations.findIndex((each) => each.rule === rule) === index)
      .map(({ rule, episode, why }) => `**${rule}**: ${why}\n\n\`\`\`\n${historyOf(chronicle, episode)}\n\`\`\``),
    `Faults of nodes as a whole (a crash, an unexpected error): ${faults.length}.`,
    ...faults.slice(0, SHOWN).map((fault) => `\`\`\`\n${fault}\n\`\`\``),
  ],
});

function nodeTroubles(from: number): Trouble[] {
  const choices = random(from);
  return Array.from({ length: MOST }, () => choices.pick(['kill', 'pause', 'pause', 'cut', 'cut', 'drain'] as const));
}

// Each after a while, in which the one before can catch up.
function natsTroubles(): Trouble[] {
  return Array.from({ length: MOST }, (_, index) => (index % 2 === 0 ? 'calm' : 'nats'));
}

function counts({ chronicle, episodes: played, counts: happened }: ClusterProof): [string, number][] {
  const often = (trouble: Trouble) => happened.get(trouble) ?? 0;
  const begun = chronicle.client.filter(({ what }) => what === 'created');
  const begunWith = (client: string) => begun.filter(({ episode }) => episode.includes(`-${client}-`)).length;
  return [
    ['episodes played', played],
    ['of them with ors-sdk', begunWith('ors')],
    ['of them with openreward', begunWith('openreward')],
    ['nodes killed', often('kill')],
    ['nodes that stood still', often('pause')],
    ['nodes cut off from NATS', often('cut')],
    ['nodes told to stop', often('drain')],
    ['leaders of NATS killed', often('nats')],
    ...countPlayed(chronicle),
  ];
}
