import { connect } from 'tiltyard/client';
import { type BenchServer, startChild } from '../child.ts';
import { type Contender, compare, processorTime, ratioOf } from '../compare.ts';
import { createEpisodes, type Next, toolCall } from '../requests.ts';
import { API_KEY } from '../servers/api-key.ts';
import { atLeastTimes, atMostMore, type Verdict } from '../verdicts.ts';
import type { Servers } from './servers.ts';

const PIECE = 'héllo "wörld" 12345\n';
const COUNT = Math.ceil((1024 * 1024) / Buffer.byteLength(PIECE));
const INPUT = { piece: PIECE, count: COUNT };
const CONNECTIONS = 4;
const CHECKED = 10;

/** Results of 1 MB: how fast, what they cost beside the least that they can cost, and that they arrive as they were. */
export async function measureLargeResults({ tiltyard, reference }: Servers): Promise<Verdict[]> {
  using bare = await startChild('bare');
  const calls = async (server: BenchServer) => largeCalls(await createEpisodes(server.port, CONNECTIONS));
  const ours = await calls(tiltyard);
  const contenders: Contender[] = [
    { name: 'node:http', server: bare, next: ours },
    { name: 'Tiltyard', server: tiltyard, next: ours },
    ...(reference === undefined ? [] : [{ name: 'reference', server: reference, next: await calls(reference) }]),
  ];
  const equal = await arriveEqual(tiltyard);
  const title = `results of 1 MB, ${CONNECTIONS} connections`;
  const [least, found, theirs] = await compare(contenders, { title, connections: CONNECTIONS, unit: 'results' });
  const verdicts: Verdict[] = [
    { what: 'results of 1 MB arrive equal', found: `${equal} of ${CHECKED}`, aim: 'all', isMet: equal === CHECKED },
  ];
  if (least === undefined || found === undefined) return verdicts;
  const dearer = ratioOf(found, least, processorTime);
  verdicts.push(atMostMore('results of 1 MB: processor time against node:http', dearer, 0.25));
  if (theirs === undefined) return verdicts;
  return [...verdicts, atLeastTimes('results of 1 MB: times the reference', ratioOf(found, theirs), 4)];
}

function largeCalls(sids: readonly string[]): Next {
  const requests = sids.map((sid) => [{ ...toolCall(sid, 'large', INPUT), expect: 'event: end' }]);
  return (connection) => requests[connection % requests.length] ?? [];
}

async function arriveEqual({ port }: BenchServer): Promise<number> {
  await using session = await connect(`http://127.0.0.1:${port}`, { apiKey: API_KEY }).session({
    split: 'train',
    index: 0,
  });
  let equal = 0;
  for (let index = 0; index < CHECKED; index += 1) {
    const { text } = await session.call('large', INPUT);
    if (text === PIECE.repeat(COUNT)) equal += 1;
  }
  return equal;
}
