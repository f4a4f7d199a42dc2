import { type Contender, compare, ratioOf } from '../compare.ts';
import type { Request } from '../exchange.ts';
import { ADD_INPUT, get, post, toolCall } from '../requests.ts';
import { atLeastTimes, type Verdict } from '../verdicts.ts';
import type { Servers } from './servers.ts';

const CALLS = 4;
const CONNECTIONS = 16;

/** Whole episodes: create, prompt, tools, some calls, delete. */
export async function measureEpisodes({ tiltyard, reference }: Servers): Promise<Verdict[]> {
  const contenders: Contender[] = [{ name: 'Tiltyard', server: tiltyard, next: episodes() }];
  if (reference !== undefined) contenders.push({ name: 'reference', server: reference, next: episodes() });
  const title = `episodes of ${CALLS} calls, ${CONNECTIONS} connections`;
  const requestsPerUnit = episode('').length;
  const [ours, theirs] = await compare(contenders, {
    title,
    connections: CONNECTIONS,
    unit: 'episodes',
    requestsPerUnit,
  });
  if (ours === undefined || theirs === undefined) return [];
  return [atLeastTimes('whole episodes: times the reference', ratioOf(ours, theirs), 8)];
}

function episodes(): (connection: number) => Request {
  const waiting = new Map<number, Request[]>();
  return (connection) => {
    let left = waiting.get(connection) ?? [];
    if (left.length === 0) left = episode(crypto.randomUUID());
    waiting.set(connection, left.slice(1));
    return left[0] as Request;
  };
}

function episode(sid: string): Request[] {
  return [
    post('/create', { env_name: 'counter', split: 'train', index: 0 }, { expect: '"sid"', sid }),
    get('/counter/prompt', { expect: 'Count.', sid }),
    get('/counter/task_tools', { expect: '"add"', sid }),
    ...Array.from({ length: CALLS }, () => toolCall(sid, 'add', ADD_INPUT)),
    post('/delete', {}, { expect: '"sid"', sid }),
  ];
}
