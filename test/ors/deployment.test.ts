import { toolkit } from 'tiltyard';
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/clock.ts';
import { expectError } from '../support/errors.ts';
import { shareServer, startServer } from '../support/http.ts';
import { linesOf, logLines } from '../support/log-lines.ts';
import { minimal } from '../support/minimal.ts';
import { exchange, toRequest } from '../support/raw.ts';
import { readEvents, toResult } from '../support/sse.ts';

// What each answers tells which one it is.
const named = (name: string, secrets?: readonly string[]) =>
  minimal({
    name,
    splits: { train: [{ of: name }] },
    prompt: () => `the prompt of ${name}`,
    tools: { [`look_${name}`]: { run: () => `seen by ${name}` } },
    ...(secrets === undefined ? {} : { requirements: { secrets } }),
  });

const environments = [named('first'), named('Second'), named('keyed', ['SEARCH_KEY', 'MAIL_KEY'])];
const server = shareServer({ environments });

/** The path that a bare one leads to. */
async function whereTo(path: string, deployment: string, sid?: string): Promise<string | null> {
  const { status, headers } = await server().get(path, { sid, headers: { 'x-deployment': deployment } });
  expect(status).toBe(308);
  return headers.get('location');
}

describe('X-Deployment', () => {
  test.each(['second', 'owner/second', 'Owner/Second', 'https://openreward.ai/owner/SECOND', ' owner/second '])(
    'Q17: %j is the environment of paths that name none',
    async (deployment) => {
      for (const action of [
        'tools',
        'splits',
        'tasks',
        'num_tasks',
        'task',
        'task_range',
        'prompt',
        'task_tools',
        'call',
      ])
        expect(await whereTo(`/${action}?a=1`, deployment)).toBe(`/second/${action}?a=1`);
    },
  );

  test.each(['owner/unknown', 'second/other', 'owner/', '/', ''])(
    'Q17: %j names none of them, so the default is meant',
    async (deployment) => {
      expect(await whereTo('/tools', deployment)).toBe('/first/tools');
      const sid = crypto.randomUUID();
      await server().post('/create', { split: 'train', index: 0 }, { sid, headers: { 'x-deployment': deployment } });
      expect((await server().get('/first/prompt', { sid })).json).toMatchObject([{ text: 'the prompt of first' }]);
    },
  );

  test('Q17: a name that none of several has is in the log, once', async () => {
    const lines = logLines();
    const { get, post } = await startServer({ environments, logger: lines.logger });
    const headers = { 'x-deployment': 'owner/secnod' };
    await get('/tools', { headers });
    await post('/create', { split: 'train', index: 0 }, { sid: crypto.randomUUID(), headers });
    await get('/tools', { headers: { 'x-deployment': 'owner/second' } });
    await eventually(() =>
      expect(
        linesOf(lines, "X-Deployment 'owner/secnod' names none of the environments: 'first' is used"),
      ).toHaveLength(1),
    );
    expect(lines.text().match(/names none/g)).toHaveLength(1);
    for (let each = 0; each < 150; each += 1) await get('/tools', { headers: { 'x-deployment': `strange-${each}` } });
    await eventually(() => expect(lines.text().match(/names none/g)).toHaveLength(100));
  });

  test('Q17: a server of one environment takes any name for it, and says nothing', async () => {
    const lines = logLines();
    const { get } = await startServer({ environments: environments.slice(0, 1), logger: lines.logger });
    await get('/tools', { headers: { 'x-deployment': 'owner/other' } });
    expect(lines.text()).not.toContain('names none');
  });

  test('Q17: a whole episode without a word of the environment but the header', async () => {
    const headers = { 'x-deployment': 'owner/second', 'content-type': 'application/json' };
    const send = async (method: string, path: string, sid = '', body?: object) =>
      fetch(server().url + path, {
        method,
        headers: sid === '' ? headers : { ...headers, 'x-session-id': sid },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    expect(await (await send('GET', '/tools')).json()).toMatchObject({ tools: [{ name: 'look_Second' }] });
    expect(await (await send('POST', '/tasks', '', { split: 'train' })).json()).toEqual({
      tasks: [{ of: 'Second' }],
      env_name: 'second',
    });
    const { sid } = (await (await send('POST', '/create_session')).json()) as { sid: string };
    expect((await send('POST', '/create', sid, { split: 'train', index: 0, env_name: null })).status).toBe(200);
    expect(await (await send('GET', '/prompt', sid)).json()).toMatchObject([{ text: 'the prompt of Second' }]);
    const called = await send('POST', '/call', sid, { name: 'look_Second', input: {} });
    expect(toResult(readEvents(await called.text()))?.output.blocks[0].text).toBe('seen by Second');
    expect((await send('POST', '/delete', sid)).status).toBe(200);
  });

  test('Q17: the body, the path and the session come first', async () => {
    const headers = { 'x-deployment': 'owner/second' };
    const sid = crypto.randomUUID();
    await server().post('/create', { env_name: 'first', split: 'train', index: 0 }, { sid, headers });
    expect(await whereTo('/prompt', 'owner/second', sid)).toBe('/first/prompt');
    expect((await server().get('/first/tools', { headers })).json.tools).toMatchObject([{ name: 'look_first' }]);
    expect((await server().call(sid, 'look_first', {}, { env: 'first', headers })).result?.ok).toBe(true);
    expectError(
      await server().call(sid, 'look_first', {}, { env: 'second', headers }),
      404,
      "runs environment 'first'",
    );
  });

  test('Q17: beside toolkits, /tools is of the environment that is named, and of the toolkits otherwise', async () => {
    const toolkits = [toolkit({ name: 'Kit', tools: { Do: { run: () => '' } } })];
    const { get } = await startServer({ environments, toolkits });
    const asked = await get('/tools', { headers: { 'x-deployment': 'owner/second' } });
    expect([asked.status, asked.headers.get('location')]).toEqual([308, '/second/tools']);
    for (const deployment of ['owner/unknown', '']) {
      expect((await get('/tools', { headers: { 'x-deployment': deployment } })).json.items).toHaveLength(1);
    }
  });
});

describe('required secrets', () => {
  test('Q17: are told by the name of the deployment, in any case, whoever owns it', async () => {
    const { get } = server();
    for (const path of ['owner/keyed', 'Anybody/KEYED'])
      expect((await get(`/v1/environments/${path}/required-secrets`)).json).toEqual({
        secrets: ['SEARCH_KEY', 'MAIL_KEY'],
      });
    expect((await get('/v1/environments/owner/second/required-secrets')).json).toEqual({ secrets: [] });
  });

  test('Q17: are told without an owner, as the SDK asks for a name that has none', async () => {
    const { json } = await exchange(server(), toRequest('GET /v1/environments//keyed/required-secrets'));
    expect(json).toEqual({ secrets: ['SEARCH_KEY', 'MAIL_KEY'] });
  });

  test('Q17: of an environment that is not there are 404', async () => {
    const path = '/v1/environments/owner/unknown/required-secrets';
    expectError(await server().get(path), 404, "unknown environment 'unknown'");
    expect((await server().post(path)).headers.get('allow')).toContain('GET');
  });

  test('are required: /create without them is 400, which names those that are missing', async () => {
    const create = (secrets?: object, headers = {}) =>
      server().post(
        '/create',
        { env_name: 'keyed', split: 'train', index: 0, secrets },
        { sid: crypto.randomUUID(), headers },
      );
    const refused = await create({ MAIL_KEY: 'a' });
    expectError(refused, 400, "environment 'keyed' requires the secret SEARCH_KEY. Send it in 'secrets'");
    expect(refused.json.code).toBe('missing_secrets');
    expectError(await create(), 400, "requires the secrets SEARCH_KEY, MAIL_KEY. Send them in 'secrets'");
    expect((await create({ SEARCH_KEY: '', MAIL_KEY: 'a' })).status).toBe(200);
    const inHeader = Buffer.from(JSON.stringify({ SEARCH_KEY: { value: 'b' } })).toString('base64');
    expect((await create({ MAIL_KEY: 'a' }, { 'x-secrets': inHeader })).status).toBe(200);
  });
});
