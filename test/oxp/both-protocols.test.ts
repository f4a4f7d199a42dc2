import { environment, step, ToolError, tool, toolkit } from 'tiltyard';
import { createServer } from 'tiltyard/server';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { expectError } from '../support/errors.ts';
import { client, startServer } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';
import { shareToolServer, startToolServer } from './support.ts';

// One tool, for both protocols.
const guess = tool({
  description: 'Guesses the number.',
  version: '1.2.0',
  input: z.object({ number: z.number() }),
  run({ number }, { log }) {
    log.info('guessed');
    if (number > 100) throw new ToolError('That is too high', { promptContent: 'at most 100' });
    if (number < 0) throw new Error('nobody thought of that');
    return step(number === 42 ? 'Correct!' : 'Wrong.', { reward: number === 42 ? 1 : 0 });
  },
});

const game = environment({
  name: 'Game',
  splits: { train: [{ id: 0 }] },
  prompt: () => 'Guess.',
  tools: { guess },
});
const other = minimal({ name: 'other' });
const games = toolkit({ name: 'Games', tools: { Guess: guess } });

const server = shareToolServer({ environments: [game, other], toolkits: [games] });
const ors = () => client(server().url);

const CALL = { tool_id: 'Games.Guess', input: { number: 42 } };

describe('one tool over both', () => {
  test('OXP O6: it answers with a value over OXP, and with a reward over ORS', async () => {
    expect((await server().call(CALL)).json.result).toMatchObject({ success: true, value: 'Correct!' });
    const { result } = await ors().call(await ors().create(), 'guess', { number: 42 }, { env: 'game' });
    expect(result?.output).toMatchObject({ blocks: [{ text: 'Correct!' }], reward: 1 });
  });

  test('OXP E2: it refuses the same inputs, each in its own words', async () => {
    expect((await server().call({ ...CALL, input: {} })).json.parameter_errors).toEqual({ number: 'Is required' });
    const answer = await ors().call(await ors().create(), 'guess', {}, { env: 'game' });
    expectError(answer, 400, 'number: Is required');
  });

  test('OXP E3: it fails in the same way', async () => {
    const sid = await ors().create();
    const { json } = await server().call({ ...CALL, input: { number: 101 } });
    expect(json.result.error).toEqual({ message: 'That is too high', additional_prompt_content: 'at most 100' });
    const { result } = await ors().call(sid, 'guess', { number: 101 }, { env: 'game' });
    expect(result).toMatchObject({ ok: false, error: expect.stringContaining('That is too high\nat most 100') });
    const crashed = await server().call({ ...CALL, input: { number: -1 } });
    expect(crashed.json.result.error.developer_message).toBe('Error: nobody thought of that');
    expect((await ors().call(sid, 'guess', { number: -1 }, { env: 'game' })).error).toContain('nobody thought of that');
  });

  test('OXP O3: it is listed by both', async () => {
    const [definition] = (await server().get('/tools')).json.items;
    const [spec] = (await ors().get('/game/tools')).json.tools;
    expect(definition).toMatchObject({ id: 'Games.Guess@1.2.0', name: 'Games_Guess', input_schema: spec.input_schema });
    expect(definition.description).toBe(spec.description);
  });
});

describe('paths', () => {
  test('OXP O2: /tools is of OXP as soon as there is a toolkit', async () => {
    const { status, json } = await server().get('/tools');
    expect([status, json.items.length]).toEqual([200, 1]);
    expect((await ors().get('/game/tools')).json.tools[0].name).toBe('guess');
  });

  test('OXP O2: without a toolkit /tools is a redirect of ORS', async () => {
    for (const toolkits of [undefined, []]) {
      const { get } = await startServer({ environments: [game], ...(toolkits === undefined ? {} : { toolkits }) });
      const { status, headers } = await get('/tools');
      expect([status, headers.get('location')]).toEqual([308, '/game/tools']);
    }
  });

  test.each(['splits', 'tasks', 'prompt', 'task_tools'])(
    'OXP O2: /%s is a redirect of ORS as before',
    async (action) => {
      const { status, headers } = await ors().get(`/${action}`);
      expect([status, headers.get('location')]).toEqual([308, `/game/${action}`]);
    },
  );

  test('OXP O5: /call with a request is of OXP', async () => {
    expect((await server().post('/call', { request: CALL })).json.result.value).toBe('Correct!');
    expect((await server().post('/call', { request: null })).json.message).toBe('The request is not valid');
  });

  test('OXP O5: /call with anything else is a redirect of ORS, to the environment of its session', async () => {
    const sid = await ors().create({ env_name: 'other', split: 'train', index: 0 });
    const body = { name: 'look', input: {} };
    for (const [given, name] of [
      [undefined, 'game'],
      [sid, 'other'],
    ] as const) {
      const { status, headers } = await ors().post('/call', body, { sid: given });
      expect([status, headers.get('location')]).toEqual([308, `/${name}/call`]);
    }
    const headers = { 'content-type': 'application/json', 'x-session-id': sid };
    const followed = await fetch(`${server().url}/call`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(await followed.text()).toContain('seen');
    for (const raw of ['', '{', '[]', '"request"']) {
      expect((await ors().request('POST', '/call', { raw, headers })).status).toBe(308);
    }
  });

  test('OXP O5: /tools/call is of OXP, whatever comes', async () => {
    const { status, json } = await server().post('/tools/call', { name: 'guess', input: {} });
    expect([status, json.message]).toEqual([400, 'The request is not valid']);
  });

  test('OXP E1: an unknown path is told in the words of ORS', async () => {
    expectError(await ors().get('/nope'), 404);
  });

  test('OXP O1: /health is one for both', async () => {
    expect((await server().get('/health')).json).toEqual({ status: 'ok' });
  });

  test('OXP O2: with one environment, unknown paths go there, and those of OXP do not', async () => {
    const single = await startToolServer({ environments: [game], toolkits: [games] });
    expect((await single.get('/tools')).json.items).toHaveLength(1);
    expect((await single.call(CALL)).status).toBe(200);
    expect((await client(single.url).get('/foo')).headers.get('location')).toBe('/game/foo');
  });

  test.each(['tools', 'call', 'health', 'Tools', 'create', 'openapi.json', 'list_environments', 'prompt'])(
    'OXP O2: no environment can be named %s',
    (name) => {
      expect(() => minimal({ name })).toThrow(`environment '${name}' cannot have that name`);
    },
  );
});

describe('credentials', () => {
  const apiKeys = [{ key: 'one-key', identity: 'ada' }];

  test('OXP S2: one key is good for both', async () => {
    const { call, url } = await startToolServer({ environments: [game], toolkits: [games], auth: { apiKeys } });
    for (const name of ['oxp-api-key', 'x-api-key']) {
      const headers = { [name]: 'one-key' };
      expect((await call(CALL, { headers })).status).toBe(200);
      expect((await client(url).get('/game/tools', { headers })).status).toBe(200);
    }
  });

  test('OXP S4: without one, each protocol says so in its own way', async () => {
    const { call, url } = await startToolServer({ environments: [game], toolkits: [games], auth: { apiKeys } });
    expect((await call(CALL)).status).toBe(400);
    expectError(await client(url).get('/game/tools'), 401);
  });
});

test('OXP O2: a server of nothing cannot be made', async () => {
  await expect(createServer({ toolkits: [], environments: [] })).rejects.toThrow('there is nothing to serve');
});
