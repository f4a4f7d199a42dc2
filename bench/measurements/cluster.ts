import { findNats } from '../../test/cluster/nats-programs.ts';
import { startNats } from '../../test/cluster/nats-servers.ts';
import { startRoundRobin } from '../../test/support/round-robin.ts';
import { type BenchServer, type NodeServer, startChild, startModule } from '../child.ts';
import { compare, ratioOf } from '../compare.ts';
import { addCallsWithIds, createEpisodes, workCalls } from '../requests.ts';
import { atLeastShare, atLeastTimes, type Verdict } from '../verdicts.ts';

const CONNECTIONS = 64;

/** Calls at the node that has the session and at another one, and three nodes together, beside one process without a cluster. */
export async function measureCluster(): Promise<Verdict[]> {
  const program = await findNats();
  if ('missing' in program) {
    process.stdout.write(`without the cluster: nats-server is needed, and ${program.missing}\n`);
    return [];
  }
  await using nats = await startNats(program.path);
  using alone = await startChild('tiltyard');
  using one = await startNode(nats.url, 'one');
  // As long as there is no other node, all sessions are this one's.
  const [near, far] = [await createEpisodes(one.port, CONNECTIONS), await createEpisodes(one.port, CONNECTIONS)];
  using two = await startNode(nats.url, 'two');
  using three = await startNode(nats.url, 'three');
  return [...(await measureWays({ alone, one, two }, near, far)), ...(await measureTogether(alone, [one, two, three]))];
}

async function measureWays(
  { alone, one, two }: Readonly<Record<'alone' | 'one' | 'two', BenchServer>>,
  near: readonly string[],
  far: readonly string[],
): Promise<Verdict[]> {
  const title = 'cluster, a tool that does nothing, 64 connections, one server of NATS';
  const contenders = [
    { name: 'one process', server: alone, next: addCallsWithIds(await createEpisodes(alone.port, CONNECTIONS)) },
    { name: 'at its owner', server: one, next: addCallsWithIds(near) },
    { name: 'another node', server: two, next: addCallsWithIds(far) },
  ];
  const [without, owner, other] = await compare(contenders, { title, connections: CONNECTIONS, unit: 'calls' });
  if (!(without && owner && other)) return [];
  return [
    atLeastShare(`${title}: at its owner against one process`, ratioOf(owner, without), 0.2),
    atLeastShare(`${title}: through another node against one process`, ratioOf(other, without), 0.1),
  ];
}

async function measureTogether(alone: BenchServer, nodes: readonly NodeServer[]): Promise<Verdict[]> {
  const title = 'cluster, a tool that computes for 2 ms, 64 connections';
  await using balancer = await startRoundRobin(nodes.map(({ port }) => port));
  const together = asOne(Number(new URL(balancer.url).port), nodes);
  const contender = async (name: string, server: BenchServer) => ({
    name,
    server,
    next: workCalls(await createEpisodes(server.port, CONNECTIONS), 2),
  });
  const contenders = [await contender('one process', alone), await contender('three nodes', together)];
  const [without, all] = await compare(contenders, { title, connections: CONNECTIONS, unit: 'calls' });
  if (!(without && all)) return [];
  return [atLeastTimes(`${title}: three nodes against one process`, ratioOf(all, without), 1.2)];
}

/** Several servers behind one port. */
function asOne(port: number, servers: readonly NodeServer[]): BenchServer {
  return {
    port,
    cpuMs: async () => (await Promise.all(servers.map((server) => server.cpuMs()))).reduce((sum, each) => sum + each),
    async stop() {
      for (const server of servers) await server.stop();
    },
    [Symbol.dispose]() {
      for (const server of servers) server[Symbol.dispose]();
    },
  };
}

function startNode(nats: string, name: string): Promise<NodeServer> {
  return startModule(new URL('../servers/cluster.ts', import.meta.url), { env: { CLUSTER: nats, NODE: name } });
}
