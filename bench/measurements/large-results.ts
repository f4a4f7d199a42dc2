import { connect } from 'tiltyard/client';
import type { BenchServer } from '../child.ts';
import { type Contender, compare, ratioOf } from '../compare.ts';
import { createEpisodes, toolCall } from '../requests.ts';
import { API_KEY } from '../servers/api-key.ts';
import { atLeastTimes, type Verdict } from '../verdicts.ts';
import type { Servers } from './servers.ts';

const PIECE = 'héllo "wörld" 12345\n';
const COUNT = Math.ceil((1024 * 1024) / Buffer.byteLength(PIECE));
const INPUT = { piece: PIECE, count: COUNT };
const CONNECTIONS = 4;
const CHECKED = 10;

/** Results of 1 MB: how fast, and that they arrive as they were. */
export async function measureLargeResults({ tiltyard, reference }: Servers): Promise<Verdict[]> {
  const servers = [tiltyard, ...(reference === undefined ? [] : [reference])];
  const contenders: Contender[] = [];
  for (const [index, server] of servers.entries()) {
    const sids = await createEpisodes(server.port, CONNECTIONS);
    const next = (connection: number) => ({
      ...toolCall(sids[connection] ?? '', 'large', INPUT),
      expect: 'event: end',
    });
    contenders.push({ name: index === 0 ? 'Tiltyard' : 'reference', server, next });
  }
  const equal = await arriveEqual(tiltyard);
  const title = `results of 1 MB, ${CONNECTIONS} connections`;
  const [ours, theirs] = await compare(contenders, { title, connections: CONNECTIONS, unit: 'results' });
  const verdicts = [
    { what: 'results of 1 MB arrive equal', found: `${equal} of ${CHECKED}`, aim: 'all', isMet: equal === CHECKED },
  ];
  if (ours === undefined || theirs === undefined) return verdicts;
  return [...verdicts, atLeastTimes('results of 1 MB: times the reference', ratioOf(ours, theirs), 1.6)];
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
