import { type BenchServer, startChild } from '../child.ts';
import { type Contender, compare, ratioOf } from '../compare.ts';
import type { Request } from '../exchange.ts';
import { ADD_INPUT, addCalls, createEpisodes, post } from '../requests.ts';
import { atLeastShare, atLeastTimes, type Verdict } from '../verdicts.ts';
import type { Servers } from './servers.ts';

const AIMS = [
  { connections: 64, share: 0.6, times: 12 },
  { connections: 1, share: 0.85, times: 4 },
] as const;

/** Calls of a tool: the floor, this server over both protocols, and the reference. */
export async function measureCalls({ floor, tiltyard, reference }: Servers): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  // A process of its own: what it keeps of its calls would be collected while the others run.
  using toolkits = await startChild('tiltyard');
  for (const { connections, share, times } of AIMS) {
    const ors = await adding(tiltyard, connections);
    const python = reference === undefined ? [] : [{ name: 'reference', ...(await adding(reference, connections)) }];
    const contenders: Contender[] = [
      { name: 'node:http', server: floor, next: ors.next },
      { name: 'Tiltyard ORS', ...ors },
      { name: 'Tiltyard OXP', server: toolkits, next: oxpCalls(connections) },
      ...python,
    ];
    const title = `calls, ${connections} connection${connections === 1 ? '' : 's'}`;
    const [lowest, ours, , theirs] = await compare(contenders, { title, connections, unit: 'calls' });
    if (lowest === undefined || ours === undefined) continue;
    verdicts.push(atLeastShare(`${title}: share of the floor`, ratioOf(ours, lowest), share));
    if (theirs !== undefined)
      verdicts.push(atLeastTimes(`${title}: times the reference`, ratioOf(ours, theirs), times));
  }
  return verdicts;
}

async function adding(server: BenchServer, connections: number): Promise<Omit<Contender, 'name'>> {
  return { server, next: addCalls(await createEpisodes(server.port, connections)) };
}

// Each with an id of its own, as the client makes them: it is kept like a call over ORS.
function oxpCalls(run: number): () => Request {
  let count = 0;
  return () => {
    count += 1;
    const request = { call_id: `bench-${run}-${count}`, tool_id: 'Counter.Add', input: ADD_INPUT };
    return post('/tools/call', { request }, { expect: '"success":true' });
  };
}
