import { environment } from 'tiltyard';
import { createServer } from 'tiltyard/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { StreamEvent, Target } from '../../src/studio/api.ts';
import { bank } from '../server/toolkits.ts';
import { eventually } from '../support/clock.ts';
import { fixture } from '../support/fixture.ts';
import { json, startForeign } from '../support/foreign.ts';
import { startServer } from '../support/http.ts';
import { openStudio } from './studio-client.ts';
import { tableOf } from './table.ts';

const TARGET = { target: 't1' };

function targetIn(event: StreamEvent): Target | undefined {
  return event.type === 'targets' ? event.targets[0] : undefined;
}

describe('U1: servers and environments', () => {
  test('a server is known by its protocols, its make and whether it tells what happens', async () => {
    const both = await startServer({ toolkits: [bank], events: true });
    const studio = await openStudio();
    const add = (url: string) => studio.ask('POST /api/targets', {}, { body: { url } });
    expect(await add(both.url)).toMatchObject({
      status: 'up',
      protocols: ['ors', 'oxp'],
      make: 'tiltyard',
      live: 'on',
      hasKey: false,
      problem: null,
    });
    expect(await add((await startServer()).url)).toMatchObject({ protocols: ['ors'], live: 'off' });
    expect(await add((await startServer({ environments: [], toolkits: [bank] })).url)).toMatchObject({
      protocols: ['oxp'],
    });
    // The same one twice is one.
    expect((await add(`${both.url}/`)).id).toBe('t1');
    expect(await studio.ask('GET /api/targets')).toHaveLength(3);
  });

  test('a server of another make is used as any other, and one that is no server of ours says so', async () => {
    const foreign = await startForeign();
    const web = await startForeign({ 'GET /list_environments': json({ detail: 'Not Found' }, 404) });
    const studio = await openStudio();
    const add = (url: string) => studio.ask('POST /api/targets', {}, { body: { url } });
    expect(await add(foreign.url)).toMatchObject({
      status: 'up',
      protocols: ['ors'],
      make: 'foreign',
      live: 'foreign',
    });
    expect(await add(web.url)).toMatchObject({ protocols: [], problem: { code: 'no_protocol' } });
    expect(await studio.ask('GET /api/targets/:target/live', TARGET)).toMatchObject({
      status: 'foreign',
      sessions: [],
    });
  });

  test('a server that wants a key is told apart from one that is away, and the key stays here', async () => {
    const { url } = await startServer({ auth: { apiKeys: ['the-right-key-1234'] } });
    const studio = await openStudio();
    const add = (apiKey?: string) => studio.ask('POST /api/targets', {}, { body: { url, apiKey } });
    expect(await add('wrong-key-123456')).toMatchObject({ status: 'down', problem: { kind: 'auth', status: 401 } });
    const right = await add('the-right-key-1234');
    expect(right).toMatchObject({ status: 'up', hasKey: true });
    expect(JSON.stringify([right, await studio.ask('GET /api/targets')])).not.toMatch(/key-123/);
  });

  test('splits have counts, tasks come by range from a million, tools with their schemas', async () => {
    const huge = environment({
      name: 'huge',
      splits: { train: { type: 'train', count: 1_000_000, get: (index) => ({ n: index }) } },
      prompt: () => 'go',
      tools: { noop: { run: () => 'ok' } },
      requirements: { secrets: ['VAULT_KEY'] },
    });
    const { url } = await startServer({ environments: [...fixture().environments, huge] });
    const studio = await openStudio({ targets: [{ name: url, url, apiKey: '', isModule: false }] });
    expect(await studio.ask('GET /api/targets/:target/environments', TARGET)).toEqual(['math', 'code_env', 'huge']);
    const info = (environment: string) =>
      studio.ask('GET /api/targets/:target/environments/:environment', { ...TARGET, environment });
    expect((await info('math')).splits).toEqual([
      { name: 'train', type: 'train', count: 10 },
      { name: 'test', type: 'test', count: 3 },
      { name: 'hard', type: 'validation', count: 1 },
    ]);
    expect([(await info('math')).secrets, (await info('huge')).secrets]).toEqual([[], ['VAULT_KEY']]);
    expect((await info('math')).tools.find(({ name }) => name === 'submit')).toMatchObject({ input_schema: {} });
    const tasks = (query: object) =>
      studio.ask(
        'GET /api/targets/:target/environments/:environment/tasks',
        { ...TARGET, environment: 'huge' },
        { query: { split: 'train', ...query } },
      );
    expect(await tasks({ start: 999_998, stop: 1_000_100 })).toEqual({
      start: 999_998,
      total: 1_000_000,
      tasks: [{ n: 999_998 }, { n: 999_999 }],
    });
    expect((await tasks({ start: 0, stop: 100_000 })).tasks).toHaveLength(500);
    expect(await tasks({ start: 2_000_000 })).toMatchObject({ tasks: [] });
    const unknown = await studio.request('GET', '/api/targets/t1/environments/nobody');
    expect([unknown.status, unknown.body.error.kind]).toEqual([502, 'refused']);
    for (const query of ['split=train&start=-1', 'split=train&start=x', 'start=0', 'split=train&start=5&stop=1'])
      expect((await studio.request('GET', `/api/targets/t1/environments/huge/tasks?${query}`)).status, query).toBe(400);
    expect((await studio.request('GET', '/api/targets/t9/environments')).status).toBe(404);
  });
});

test('U9: a server that goes is told, and found again when it is back', async () => {
  const launch = (port = 0) => {
    const starting = createServer({ environments: fixture().environments, logger: false });
    return starting.then(async (server) => ({ server, url: await server.listen({ port }) }));
  };
  const first = await launch();
  const studio = await openStudio({ targets: [{ name: 'it', url: first.url, apiKey: '', isModule: false }] });
  const stream = await studio.stream('targets');
  await stream.next((event) => targetIn(event)?.status === 'up');
  const subject = { kind: 'episode', environment: 'math', choice: { split: 'train', index: 0 } };
  const table = tableOf(studio, (await studio.ask('POST /api/plays', {}, { body: { target: 't1', subject } })).id);
  expect((await table.ready()).status).toBe('ready');
  await first.server.close();
  await studio.ask('POST /api/targets/:target/look', TARGET);
  const down = targetIn(await stream.next((event) => targetIn(event)?.status === 'down'));
  expect(down).toMatchObject({ problem: { kind: 'server', code: 'ECONNREFUSED', advice: expect.any(String) } });
  const second = await launch(Number(new URL(first.url).port));
  onTestFinished(() => second.server.close());
  const up = targetIn(await stream.next((event) => targetIn(event)?.status === 'up'));
  expect(up).toMatchObject({ reconnects: 1, problem: null });
  // The new server does not know the session, and nobody has to make a call to find out.
  await eventually(async () =>
    expect(await table.play()).toMatchObject({ status: 'lost', problem: { kind: 'session' } }),
  );
  await studio.ask('DELETE /api/targets/:target', TARGET);
  await eventually(async () => expect(await studio.ask('GET /api/targets')).toEqual([]));
});
