import { type BenchServer, type NodeServer, startChild } from '../child.ts';
import { type Compared, type Contender, compare, processorTime, ratioOf } from '../compare.ts';
import { addCalls, addCallsWithIds, createEpisodes, oxpCalls, oxpCallsWithIds } from '../requests.ts';
import { atLeastShare, atLeastTimes, atMostMore, type Verdict } from '../verdicts.ts';
import type { Servers } from './servers.ts';

const AIMS = [
  { connections: 64, share: 0.7, times: 12, oxpMore: 0.1 },
  { connections: 1, share: 0.85, times: 4 },
] as const;

/** Calls of a tool: the floor, this server over both protocols and with ids of the client's or without, the reference. */
export async function measureCalls({ floor, tiltyard, reference }: Servers): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  // Processes of their own: what each keeps of its calls would be collected while the others run.
  using withTaskIds = await startChild('tiltyard');
  using toolkits = await startChild('tiltyard');
  using withCallIds = await startChild('tiltyard');
  const servers = { floor, tiltyard, withTaskIds, toolkits, withCallIds, reference };
  for (const aim of AIMS) {
    const { connections } = aim;
    const title = `calls, ${connections} connection${connections === 1 ? '' : 's'}`;
    const contenders = await contendersFor(connections, servers);
    verdicts.push(...judge(title, await compare(contenders, { title, connections, unit: 'calls' }), aim));
  }
  return verdicts;
}

interface CallServers extends Servers {
  readonly withTaskIds: NodeServer;
  readonly toolkits: NodeServer;
  readonly withCallIds: NodeServer;
}

async function contendersFor(connections: number, servers: CallServers): Promise<Contender[]> {
  const { floor, tiltyard, withTaskIds, toolkits, withCallIds, reference } = servers;
  const episodes = (server: BenchServer) => createEpisodes(server.port, connections);
  const ors = addCalls(await episodes(tiltyard));
  const orsWithIds = addCallsWithIds(await episodes(withTaskIds));
  return [
    { name: 'node:http', server: floor, next: ors },
    { name: 'ORS', server: tiltyard, next: ors },
    // Each against what the floor makes of the same requests: these are longer, and no two are alike.
    { name: 'node:http, task_id', server: floor, next: orsWithIds },
    { name: 'ORS, task_id', server: withTaskIds, next: orsWithIds },
    { name: 'OXP', server: toolkits, next: oxpCalls() },
    { name: 'OXP, call_id', server: withCallIds, next: oxpCallsWithIds() },
    ...(reference === undefined
      ? []
      : [{ name: 'reference', server: reference, next: addCalls(await episodes(reference)) }]),
  ];
}

function judge(title: string, compared: readonly Compared[], aim: (typeof AIMS)[number]): Verdict[] {
  const [floor, ors, floorWithIds, withTaskIds, oxp, withCallIds, reference] = compared as [
    ...[Compared, Compared, Compared, Compared, Compared, Compared],
    Compared?,
  ];
  const verdicts = [
    atLeastShare(`${title}: share of the floor`, ratioOf(ors, floor), aim.share),
    atLeastShare(`${title}, with task_id: share of the floor`, ratioOf(withTaskIds, floorWithIds), aim.share),
  ];
  if ('oxpMore' in aim) {
    const dearer = (of: Compared, to: Compared) => ratioOf(of, to, processorTime);
    verdicts.push(
      atMostMore(`${title}, OXP against ORS: processor time`, dearer(oxp, ors), aim.oxpMore),
      atMostMore(`${title}, OXP against ORS, with ids: processor time`, dearer(withCallIds, withTaskIds), aim.oxpMore),
    );
  }
  if (reference === undefined) return verdicts;
  return [...verdicts, atLeastTimes(`${title}: times the reference`, ratioOf(ors, reference), aim.times)];
}
