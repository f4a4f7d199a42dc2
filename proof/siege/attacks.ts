import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { MEGABYTE } from './sides.ts';
import { type Attack, headOf, openDeaf, post, push } from './wire.ts';

/** One way to make a server hold more than it can. Resolves when it can do no more, with what it saw, and holds what it has. */
export type Attacker = (port: number) => Promise<string>;

/** Every way that we know. */
export const ATTACKS: Readonly<Record<string, Attacker>> = {
  'unfinished bodies for a session that does not exist': (port) =>
    unfinished(port, 120, () => ({ path: '/quarry/call', sid: 'nobody', length: 15 * MEGABYTE })),
  'unfinished bodies that create sessions': (port) =>
    unfinished(port, 120, (index) => ({ path: '/create', sid: `unfinished-${index}`, length: 15 * MEGABYTE })),
  'readers that never read their results': async (port) => {
    const sids = await createAll(port, 27, 'deaf');
    return deaf(port, sids, (sid) => ({ path: '/quarry/call', sid, body: call('dig', { megabytes: 60 }) }));
  },
  'readers that never read, and ask for many results in one write': async (port) => {
    const sids = await createAll(port, 27, 'burst');
    const body = call('dig', { megabytes: 60 });
    const requests = sids.map((sid) => headOf({ path: '/quarry/call', sid, length: body.length }) + body);
    const socket = openDeaf(port);
    socket.write(requests.join(''));
    await pause(5_000);
    return stateOf([socket]);
  },
  'readers that never read a list of tasks': (port) =>
    deaf(port, Array.from({ length: 27 }), () => ({ path: '/quarry/tasks', body: '{"split":"train"}' })),
  'callers over OXP that never read their results': (port) =>
    deaf(port, Array.from({ length: 27 }), (_each, index) => ({
      path: '/tools/call',
      body: JSON.stringify({
        $schema: 'urn:oxp:1.0',
        request: { tool_id: 'Quarry.Dig', call_id: `deaf-${index}`, input: { megabytes: 60 } },
      }),
    })),
  'sessions with large tasks': (port) =>
    create(port, 105, 'task', { env_name: 'quarry', task_spec: { rubble: 'r'.repeat(15 * MEGABYTE) } }),
  'sessions with many secrets': (port) => {
    const secrets = Object.fromEntries(Array.from({ length: 96 }, (_, index) => [`S${index}`, 's'.repeat(65_536)]));
    return create(port, 184, 'secrets', { env_name: 'quarry', split: 'train', index: 0, secrets });
  },
  'inputs of millions of wrong values': async (port) => {
    const [sid = ''] = await createAll(port, 1, 'wide');
    const input = `{"urls":[${'"",'.repeat(4_000_000)}""]}`;
    const body = `{"name":"visit","input":${input}}`;
    const statuses = await sideBySide(30, () => post(port, { path: '/quarry/call', sid }, body));
    return `statuses: ${tally(statuses.map(String))}`;
  },
  'repeats of one call, all at once on one connection': pipelined,
};

/** Bodies of which all but the end is sent. */
async function unfinished(port: number, count: number, toAttack: (index: number) => Attack): Promise<string> {
  const sockets = await sideBySide(count, async (index) => {
    const socket = openDeaf(port);
    const attack = toAttack(index);
    socket.write(headOf(attack));
    await push(socket, Buffer.alloc(attack.length - 1, 'x'));
    return socket;
  });
  return stateOf(sockets);
}

interface DeafRequest {
  readonly path: string;
  readonly sid?: string;
  readonly body: string;
}

/** Whole requests whose answers nobody reads. */
async function deaf<T>(
  port: number,
  subjects: readonly T[],
  toRequest: (subject: T, index: number) => DeafRequest,
): Promise<string> {
  const sockets = await sideBySide(subjects.length, async (index) => {
    const { body, ...rest } = toRequest(subjects[index] as T, index);
    const socket = openDeaf(port);
    socket.write(headOf({ ...rest, length: body.length }) + body);
    // Long enough for the answer to be made.
    await pause(500);
    return socket;
  });
  return stateOf(sockets);
}

/** Sessions whose beginning takes memory. */
async function create(port: number, count: number, name: string, body: object): Promise<string> {
  const text = JSON.stringify(body);
  const statuses = await sideBySide(count, (index) => post(port, { path: '/create', sid: `${name}-${index}` }, text));
  return `statuses: ${tally(statuses.map(String))}`;
}

async function pipelined(port: number): Promise<string> {
  const [sid = ''] = await createAll(port, 1, 'pipelined');
  const body = JSON.stringify({ name: 'wait', input: {}, task_id: 'again' });
  const request = headOf({ path: '/quarry/call', sid, length: body.length }) + body;
  const socket = openDeaf(port);
  const many = Buffer.from(request.repeat(1_000));
  let sent = 0;
  for (let round = 0; round < 400 && !socket.destroyed; round += 1) {
    if (socket.writableLength > many.length) break;
    await push(socket, many);
    sent += 1_000;
  }
  return `${sent} requests were sent until the server read no further`;
}

function createAll(port: number, count: number, name: string): Promise<string[]> {
  const body = JSON.stringify({ env_name: 'quarry', split: 'train', index: 0 });
  return sideBySide(count, async (index) => {
    await post(port, { path: '/create', sid: `${name}-${index}` }, body);
    return `${name}-${index}`;
  });
}

function call(name: string, input: object): string {
  return JSON.stringify({ name, input });
}

// As many as a determined attacker keeps up, and few enough for this process to have the bytes.
const AT_A_TIME = 24;

async function sideBySide<T>(count: number, act: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) results[index] = await act(index);
  };
  await Promise.all(Array.from({ length: Math.min(count, AT_A_TIME) }, worker));
  return results;
}

function stateOf(sockets: readonly Socket[]): string {
  return `connections: ${tally(sockets.map(({ destroyed }) => (destroyed ? 'closed' : 'open')))}`;
}

function tally(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return Array.from(counts, ([value, count]) => `${count} ${value}`).join(', ');
}
