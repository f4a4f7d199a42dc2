import Fastify from 'fastify';
import { ors, oxp } from 'tiltyard/server';
import { describe, expect, test } from 'vitest';
import { countedTools } from '../support/counted-tools.ts';
import { fixture } from '../support/fixture.ts';
import { client, shareServer } from '../support/http.ts';
import { exchange, toRequest } from '../support/raw.ts';

const HEADER = 'x-tiltyard-instance';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const counts = countedTools();
const server = shareServer({ toolkits: counts.toolkits });

const toCall = (key: string) => ({ request: { tool_id: 'Counted.Small', input: { key }, call_id: key } });

describe('the instance', () => {
  test('is the same in every answer of a server, whatever it answers', async () => {
    const { get, post, request, call, create } = server();
    const sid = await create();
    const answers = {
      health: await get('/health'),
      list: await get('/list_environments'),
      call: await call(sid, 'submit', { answer: '1' }),
      'call through Fastify': await call(
        sid,
        'submit',
        { answer: '1' },
        { headers: { 'content-type': 'application/json; x=1' } },
      ),
      'refused call': await call('nobody', 'submit'),
      tools: await get('/tools'),
      'call over OXP': await post('/tools/call', toCall('a')),
      'refused call over OXP': await post('/tools/call', {}),
      redirect: await request('GET', '/splits'),
      'no route': await get('/nothing/here/at/all'),
      'no method': await request('PUT', '/health'),
      'no URL': await get('/%zz/tools'),
      metrics: await get('/metrics'),
    };
    const id = answers.health.headers.get(HEADER);
    expect(id).toMatch(UUID);
    for (const [what, { headers }] of Object.entries(answers)) expect([what, headers.get(HEADER)]).toEqual([what, id]);
  });

  test('is in answers to what is not HTTP', async () => {
    for (const bytes of ['not http\r\n\r\n', toRequest('GET /health', ['Expect: wonders'])]) {
      const { status, headers } = await exchange(server(), bytes);
      expect([status, headers.get(HEADER)]).toEqual([bytes.startsWith('not') ? 400 : 417, expect.stringMatching(UUID)]);
    }
  });

  test('that a request names answers it, and no other does', async () => {
    const { get, post, call, create } = server();
    const sid = await create();
    const id = (await get('/health')).headers.get(HEADER) ?? '';
    const here = { [HEADER]: id };
    const elsewhere = { [HEADER]: crypto.randomUUID() };
    expect(await call(sid, 'submit', { answer: '1' }, { headers: here })).toMatchObject({ status: 200 });
    expect(await post('/tools/call', toCall('here'), { headers: here })).toMatchObject({ status: 200 });
    expect(await call(sid, 'submit', { answer: '1' }, { headers: elsewhere })).toMatchObject({
      status: 412,
      json: { code: 'other_instance', detail: expect.stringContaining(id) },
    });
    expect(await post('/tools/call', toCall('elsewhere'), { headers: elsewhere })).toMatchObject({
      status: 412,
      json: { message: expect.stringContaining('another instance'), developer_message: expect.stringContaining(id) },
    });
    expect(await get('/health', { headers: elsewhere })).toMatchObject({ status: 412 });
    expect([counts.runs('here'), counts.runs('elsewhere')]).toEqual([1, 0]);
  });

  test('is another for each server, also where a protocol is mounted in an app', async () => {
    await using app = Fastify();
    await app.register(ors, { environments: fixture().environments, prefix: '/a' });
    await app.register(oxp, { toolkits: countedTools().toolkits, prefix: '/b' });
    const { get } = client(await app.listen());
    const ids = await Promise.all(
      [get('/a/health'), get('/b/health')].map(async (each) => (await each).headers.get(HEADER)),
    );
    const own = (await server().get('/health')).headers.get(HEADER);
    expect(new Set([...ids, own]).size).toBe(3);
    for (const id of ids) expect(id).toMatch(UUID);
    const { status } = await get('/b/tools', { headers: { [HEADER]: String(own) } });
    expect(status).toBe(412);
  });
});
