import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NatsServers, startNats } from '../../test/cluster/nats-servers.ts';
import { startCuttingProxy } from '../../test/support/cutting-proxy.ts';
import { startRoundRobin } from '../../test/support/round-robin.ts';
import { History } from '../chaos/history.ts';
import { readLedger } from '../chaos/ledger.ts';
import { check, type Violation } from '../chaos/model.ts';
import type { Chronicle } from '../chaos/record.ts';
import { ServerLog } from '../chaos/server-log.ts';
import { cuts, type PlayOptions, type Progress, play } from '../durable/players.ts';
import { type StandIn, withStandIns } from '../durable/stand-ins.ts';
import { random } from '../random.ts';
import { CLUSTER_RULES } from './model.ts';
import { ProofNode } from './node.ts';
import { OfficialClients, officialPlayers } from './official-clients.ts';
import { type Trouble, Troubles } from './troubles.ts';

/** What happens; the same seed makes the same choices. */
export interface ClusterOptions extends PlayOptions {
  /** The program of NATS, and how many servers of it. */
  readonly nats: { readonly path: string; readonly count: 1 | 3 };
  /** What happens to nodes and to NATS: so many lists at a time, each from its beginning to its end. */
  readonly troubles: readonly (readonly Trouble[])[];
  /** When nothing more is to begin, as a date in ms. */
  readonly until?: number;
  /** A Python that has the official clients: then those play as well. */
  readonly python?: string | undefined;
  /** What is put in the place of files of src/. */
  readonly standIns?: readonly StandIn[];
  readonly onProgress?: (line: string) => void;
}

/** What was proven, or not. */
export interface ClusterProof {
  readonly chronicle: Chronicle;
  readonly violations: readonly Violation[];
  /** What happened to a node as a whole that must not. */
  readonly faults: readonly string[];
  readonly episodes: number;
  readonly counts: ReadonlyMap<Trouble, number>;
}

// Toolkits are not shared.
const KINDS = ['ours', 'raw', 'bare'] as const;

// What a node says that cannot reach NATS.
const FORESEEN = /^the journal cannot be written: calls wait, and new ones are refused, until it can$/;

/** Plays episodes through a plain load balancer while nodes and NATS are in trouble, and holds all that happened against the model. */
export async function proveCluster(options: ClusterOptions): Promise<ClusterProof> {
  const folder = await mkdtemp(join(tmpdir(), 'tiltyard-cluster-'));
  try {
    await using nats = await startNats(options.nats.path, options.nats.count);
    return await prove(options, nats, join(folder, 'ledger'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function prove(options: ClusterOptions, nats: NatsServers, ledger: string): Promise<ClusterProof> {
  const { seed, python, standIns = [] } = options;
  const history = new History();
  const log = new ServerLog((id) => history.tokenOf(id), FORESEEN);
  const { execArgv, env } = withStandIns(standIns);
  const program = { module: new URL('target.ts', import.meta.url), execArgv, env: { ...env, LEDGER: ledger } };
  const start = (name: string) => ProofNode.start({ program, log, ports: nats.ports, name });
  await using one = await start('one');
  await using two = await start('two');
  await using three = await start('three');
  const nodes = [one, two, three];
  await using balancer = await startRoundRobin(nodes.map(({ lives }) => lives.port));
  const port = Number(new URL(balancer.url).port);
  const proxy = await startCuttingProxy(port, { cutAfter: cuts(seed) });
  using clients = python === undefined ? undefined : new OfficialClients(python, balancer.url);
  await clients?.ready;
  const kinds = clients === undefined ? KINDS : [...KINDS, ...officialPlayers(clients)];
  const troubles = new Troubles(nodes, nats, random(seed));
  const progress = { begun: 0, isOver: false };
  const troubled = trouble(options, troubles, progress);
  await Promise.all([troubled, play({ kinds, ...options }, { port, cuttingPort: proxy.port, history }, progress)]);
  await proxy.close();
  for (const { lives } of nodes) await lives.stop();
  const { killedPids, lapses: stops, counts } = troubles;
  const killed = new Map([...killedPids.values()].entries());
  const server = await readLedger(ledger);
  const chronicle = { server, client: history.events, log: log.events, killed, killedPids, stops };
  const faults = [...nodes.flatMap(({ lives }) => lives.faults), ...log.faults];
  return { chronicle, violations: check(chronicle, CLUSTER_RULES), faults, episodes: progress.begun, counts };
}

async function trouble(options: ClusterOptions, bringer: Troubles, progress: Progress): Promise<void> {
  const { troubles, until = Number.POSITIVE_INFINITY, onProgress } = options;
  const bringAll = async (list: readonly Trouble[]) => {
    for (const each of list) {
      if (Date.now() > until) return;
      await bringer.bring(each);
      onProgress?.(`${each} is over, ${progress.begun} episodes`);
    }
  };
  try {
    await Promise.all(troubles.map(bringAll));
  } finally {
    progress.isOver = true;
  }
}
