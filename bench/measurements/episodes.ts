import { type Contender, compare, ratioOf } from '../compare.ts';
import { ADD_INPUT, get, post, type Request, toolCall } from '../requests.ts';
import { atLeastTimes, type Verdict } from '../verdicts.ts';
import type { Servers } from './servers.ts';

const CALLS = 4;
const CONNECTIONS = 16;

/** Whole episodes: create, prompt, tools, some calls, delete. */
export async function measureEpisodes({ tiltyard, reference }: Servers): Promise<Verdict[]> {
  const next = () => episode(crypto.randomUUID());
  const contenders: Contender[] = [{ name: 'Tiltyard', server: tiltyard, next }];
  if (reference !== undefined) contenders.push({ name: 'reference', server: reference, next });
  const title = `episodes of ${CALLS} calls, ${CONNECTIONS} connections`;
  const [ours, theirs] = await compare(contenders, { title, connections: CONNECTIONS, unit: 'episodes' });
  if (ours === undefined || theirs === undefined) return [];
  return [atLeastTimes('whole episodes: times the reference', ratioOf(ours, theirs), 8)];
}

/** All requests of one episode. */
export function episode(sid: string): Request[] {
  return [
    post('/create', { env_name: 'counter', split: 'train', index: 0 }, { expect: '"sid"', sid }),
    get('/counter/prompt', { expect: 'Count.', sid }),
    get('/counter/task_tools', { expect: '"add"', sid }),
    ...Array.from({ length: CALLS }, () => toolCall(sid, 'add', ADD_INPUT)),
    post('/delete', {}, { expect: '"sid"', sid }),
  ];
}
