import { type IncomingMessage, request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ServerEvent, WatchedSession } from '../../src/protocol/index.ts';
import { openEvents } from '../support/event-source.ts';
import { startServer } from '../support/http.ts';
import { AUTH, KEYS, withKey } from './credentials.ts';
import { bank } from './toolkits.ts';

type Of<Type extends ServerEvent['type']> = Extract<ServerEvent, { type: Type }>;

function is<Type extends ServerEvent['type']>(type: Type): (event: ServerEvent) => event is Of<Type> {
  return (event): event is Of<Type> => event.type === type;
}

async function listen(url: string, query = '', headers: Record<string, string> = {}) {
  const source = await openEvents<ServerEvent>(`${url}/events${query}`, headers);
  return {
    ...source,
    nextOf: async <Type extends ServerEvent['type']>(type: Type) => (await source.next(is(type))) as Of<Type>,
  };
}

/** The events of a response that somebody else has held up. */
async function* eventsIn(response: IncomingMessage): AsyncGenerator<ServerEvent> {
  let rest = '';
  for await (const chunk of response.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: ')) yield JSON.parse(line.slice(6));
  }
}

const sids = (sessions: readonly WatchedSession[]) => sessions.map(({ sid }) => sid);

describe('U4: GET /events', () => {
  test('no identity keeps another from listening: when all places are taken, the one with the most gives one up', async () => {
    const { url } = await startServer({ events: true, auth: AUTH });
    const listening = (key: string) => listen(url, '', withKey(key));
    const first = await listening(KEYS.team);
    const left = expect(first.ended).rejects.toThrow('terminated');
    const others = [];
    while (others.length < 31) others.push(await listening(KEYS.team));
    expect((await listening(KEYS.team)).status).toBe(429);
    const rival = await listening(KEYS.rival);
    expect(rival.status).toBe(200);
    await rival.nextOf('sessions');
    await left;
    // Its own share does not grow at the expense of others.
    expect((await listening(KEYS.team)).status).toBe(429);
    expect(others.map(({ status }) => status)).toEqual(Array(31).fill(200));
  });

  test('is not there unless it was asked for', async () => {
    const server = await startServer();
    expect((await server.get('/events')).status).toBe(404);
  });

  test('tells all open sessions first, then what happens to them, with rewards and without contents', async () => {
    const server = await startServer({ events: true });
    const before = await server.create();
    const events = await listen(server.url);
    const { sessions } = await events.nextOf('sessions');
    expect(sessions).toMatchObject([{ sid: before, environment: 'math', split: 'train', index: 0, calls: 0 }]);
    const sid = await server.create({ split: 'train', index: 2 });
    expect((await events.nextOf('session')).session).toMatchObject({ sid, state: 'setup', reward: null });
    expect((await events.nextOf('session')).session).toMatchObject({ sid, state: 'open' });
    await server.call(sid, 'details');
    expect(await events.nextOf('call')).toMatchObject({
      session: { sid, calls: 1, running: 1, last_tool: 'details' },
      call: { tool: 'details', ms: null, outcome: null },
    });
    expect(await events.nextOf('call')).toMatchObject({
      session: { running: 0, reward: 0.5 },
      call: { outcome: 'returned', reward: 0.5, finished: false, ms: expect.any(Number) },
    });
    await server.call(sid, 'submit', { answer: '4' });
    await events.nextOf('call');
    expect((await events.nextOf('call')).call).toMatchObject({ reward: 1, finished: true });
    await server.post('/delete', undefined, { sid });
    const { session } = await events.nextOf('session');
    expect(session).toMatchObject({ sid, state: 'ended', outcome: 'finished', reward: 1.5, calls: 2 });
    expect(events.seen.some(({ type }) => ['prompt', 'input', 'output'].includes(type))).toBe(false);
  });

  test('tells prompts, inputs and results on request, of one session, without its secrets', async () => {
    const server = await startServer({ events: true });
    const secrets = { API: 'a-very-secret-value' };
    const [sid, other] = [await server.create({ split: 'train', index: 0, secrets }), await server.create()];
    const events = await listen(server.url, `?content=1&session=${sid}`);
    expect(sids((await events.nextOf('sessions')).sessions)).toEqual([sid]);
    await server.get('/math/prompt', { sid });
    expect((await events.nextOf('prompt')).blocks[0]).toMatchObject({ type: 'text' });
    await server.call(other, 'noargs');
    await server.call(sid, 'echo', { value: { secret: 'a-very-secret-value' } });
    const input = await events.nextOf('input');
    const output = await events.nextOf('output');
    expect(input).toMatchObject({ sid, tool: 'echo', input: { value: { secret: '[secret]' } } });
    expect(output).toMatchObject({ sid, call: input.call, outcome: 'returned', reward: null });
    await server.call(sid, 'boom');
    expect(await events.nextOf('output')).toMatchObject({ outcome: 'env_error', failure: { reason: 'broken' } });
    expect(JSON.stringify(events.seen)).not.toContain('a-very-secret-value');
    expect(JSON.stringify(events.seen)).not.toContain(other);
  });

  test('is JSON whatever a client has for secrets', async () => {
    const server = await startServer({ events: true });
    const secrets = { pin: '1234', json: '","at":', type: 'output', year: String(Date.now()).slice(0, 4) };
    const sid = await server.create({ split: 'train', index: 0, secrets });
    const events = await listen(server.url, `?content=1&session=${sid}`);
    await server.call(sid, 'echo', { value: { pin: 1234, other: 'the year' } });
    expect(await events.nextOf('input')).toMatchObject({
      sid,
      input: { value: { pin: '[secret]', other: 'the year' } },
    });
    expect(await events.nextOf('output')).toMatchObject({ sid, outcome: 'returned', at: expect.any(Number) });
  });

  test('tells calls of toolkits, also on a server without environments', async () => {
    const server = await startServer({ environments: [], toolkits: [bank], events: true });
    const events = await listen(server.url);
    expect((await events.nextOf('sessions')).sessions).toEqual([]);
    await server.post('/tools/call', { request: { tool_id: 'Nobody.Knows', input: {} } });
    const [tool] = (await server.get('/tools')).json.items;
    await server.post('/tools/call', { request: { tool_id: tool.id, input: {} } });
    expect(await events.nextOf('call')).toMatchObject({ session: null });
  });

  test('is for orchestrators, who hear of their own sessions, and of all with the scope events', async () => {
    const server = await startServer({
      events: true,
      auth: {
        apiKeys: [
          { key: 'one', identity: 'one', scopes: ['orchestrator'] },
          { key: 'two', identity: 'two' },
          { key: 'agent', identity: 'one', scopes: ['agent'] },
          { key: 'watcher', identity: 'ops', scopes: ['events'] },
        ],
      },
    });
    const as = (key: string) => ({ 'x-api-key': key });
    const create = async (key: string) => {
      const sid = crypto.randomUUID();
      await server.post('/create', { split: 'train', index: 0 }, { sid, headers: as(key) });
      return sid;
    };
    const [first, second] = [await create('one'), await create('two')];
    expect((await server.get('/events')).status).toBe(401);
    expect((await server.get('/events', { headers: as('agent') })).status).toBe(403);
    const heard = async (key: string) =>
      sids((await (await listen(server.url, '', as(key))).nextOf('sessions')).sessions);
    expect(await heard('one')).toEqual([first]);
    // A key that may do everything is still one of several tenants.
    expect(await heard('two')).toEqual([second]);
    expect(await heard('watcher')).toEqual([first, second]);
    expect((await server.get('/list_environments', { headers: as('watcher') })).status).toBe(403);
  });

  test('a listener that does not read misses the oldest events, hears how many, and costs the others nothing', async () => {
    const server = await startServer({ events: true });
    const sid = await server.create();
    const stuck = request(`${server.url}/events?content=1`);
    const response = await new Promise<IncomingMessage>((resolve) => stuck.on('response', resolve).end());
    onTestFinished(() => void stuck.destroy());
    // It is cut off when the test ends.
    response.on('error', () => {}).pause();
    const other = await listen(server.url);
    for (let call = 0; call < 7; call += 1) await server.call(sid, 'big', { n: 4_000_000, ch: 'x' });
    await server.call(sid, 'noargs');
    const isLast = (event: ServerEvent) =>
      event.type === 'call' && event.call.tool === 'noargs' && event.call.ms !== null;
    await other.next(isLast);
    expect(other.seen.some(({ type }) => type === 'dropped')).toBe(false);
    let [outputs, dropped] = [0, 0];
    for await (const event of eventsIn(response)) {
      if (event.type === 'output') outputs += 1;
      else if (event.type === 'dropped') dropped = event.count;
      else if (isLast(event)) break;
    }
    expect(dropped).toBeGreaterThan(0);
    expect(outputs).toBeLessThan(7);
  });

  test('bad input is refused, and a stopping server ends the streams', async () => {
    const server = await startServer({ events: true });
    expect((await server.get('/events?content=yes')).status).toBe(400);
    expect((await server.get('/events?session=a&session=b')).status).toBe(400);
    expect((await server.request('HEAD', '/events')).status).toBe(405);
    const events = await listen(server.url);
    await events.nextOf('sessions');
    await server.server.close();
    await events.ended;
  });

  test('is described in the OpenAPI document of a server that has it', async () => {
    const paths = async (events: boolean) => (await (await startServer({ events })).get('/openapi.json')).json.paths;
    expect(Object.keys(await paths(false))).not.toContain('/events');
    expect((await paths(true))['/events'].get).toMatchObject({ operationId: 'events' });
  });
});
