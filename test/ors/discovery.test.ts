import { expect, test } from 'vitest';
import { z } from 'zod';
import { fixture } from '../support/fixture.ts';
import { shareServer, startServer, type TestServer } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';

const server = shareServer();

interface Spec {
  name: string;
  description: string;
  input_schema: object | null;
}

async function toolsOf({ get }: TestServer, env = 'math'): Promise<Spec[]> {
  return (await get(`/${env}/tools`)).json.tools;
}

test('D1: /health says ok', async () => {
  const { status, json } = await server().get('/health');
  expect(status).toBe(200);
  expect(json).toEqual({ status: 'ok' });
});

test('D2: /list_environments is an array of names in the order of registration', async () => {
  const names = ['zeta', 'alpha', 'mid'];
  const { get } = await startServer({ environments: names.map((name) => minimal({ name })) });
  const { status, json } = await get('/list_environments');
  expect(status).toBe(200);
  expect(json).toEqual(names);
});

test('D2: every listed name works in a path', async () => {
  const { get } = server();
  for (const name of (await get('/list_environments')).json) {
    for (const action of ['tools', 'splits']) expect((await get(`/${name}/${action}`)).status).toBe(200);
  }
});

test('D3: names are listed in lower case', async () => {
  expect((await server().get('/list_environments')).json).toEqual(['math', 'code_env']);
});

test.each(['Code_Env', 'CODE_ENV', 'code_env'])('D3: the path finds an environment as %s', async (name) => {
  expect((await toolsOf(server(), name)).map((tool) => tool.name)).toEqual(['run']);
});

test.each(['MATH', 'Code_Env'])('D3: /create finds an environment as %s', async (name) => {
  const { create, get } = server();
  const sid = await create({ env_name: name, split: 'train', index: 0 });
  expect((await get(`/${name}/prompt`, { sid })).text).toContain(name === 'MATH' ? 'math: ' : 'code: ');
});

test('D4: two environments of one name, case aside, are refused at start', async () => {
  const environments = ['Twin', 'other', 'tWIN'].map((name) => minimal({ name }));
  await expect(startServer({ environments })).rejects.toThrow("two environments are named 'twin'");
});

const ROOT_PATHS = 'health list_environments create_session create ping delete delete_session version';
const ACTIONS = 'tools splits tasks num_tasks task task_range task_tools prompt call get_task get_task_range';

test.each([
  ...['', 'a/b', 'a?b', 'a#b', 'a%b', 'a b', '..', 'Health', 'TOOLS'],
  ...`${ROOT_PATHS} ${ACTIONS}`.split(' '),
])('D4: the name %j is refused', (name) => {
  expect(() => minimal({ name })).toThrow(/name/);
});

test.each(['mcp', 'MCP', '.well-known'])('M19: the name %j is reserved', (name) => {
  expect(() => minimal({ name })).toThrow('is a path of the server');
});

test('D5: /tools lists the shared tools, without a session', async () => {
  const { status, json } = await server().get('/math/tools');
  expect(status).toBe(200);
  const names = json.tools.map(({ name }: Spec) => name);
  expect(names).toEqual(Object.keys(fixture().environments[0].tools).filter((name) => name !== 'hint'));
  expect(names).toContain('submit');
});

test('D6: a tool without parameters has an input_schema of null', async () => {
  const tools = await toolsOf(server());
  expect(tools.find(({ name }) => name === 'noargs')).toEqual({ name: 'noargs', description: '', input_schema: null });
});

test('D7: every tool has the three keys of the standard and no other, whatever its author set', async () => {
  const tools = { look: { version: '2.0.0', timeoutMs: 5, concurrent: true, output: z.string(), run: () => 'seen' } };
  const own = await startServer({ environments: [minimal({ tools })] });
  for (const tool of [...(await toolsOf(server())), ...(await toolsOf(own, 'minimal'))]) {
    expect(Object.keys(tool).sort()).toEqual(['description', 'input_schema', 'name']);
  }
});

test('D8: the description is a string, empty if the author gave none', async () => {
  const tools = await toolsOf(server());
  const described = Object.fromEntries(tools.map(({ name, description }) => [name, description]));
  expect(described).toMatchObject({ submit: 'Submit an answer.', noargs: '', parallel: '', boom: '' });
});

test('D9: a JSON Schema is published as it was written, unknown keywords too', async () => {
  const input = {
    type: 'object',
    title: 'Everything',
    properties: {
      text: { type: 'string', description: 'any text', examples: ['a', 'b'], default: 'a' },
      choice: { type: 'string', enum: ['easy', 'hard'] },
      count: { type: 'integer', minimum: 1, maximum: 10, default: 3 },
      nested: { type: 'object', properties: { deep: { type: ['string', 'null'] } }, required: ['deep'] },
      list: { type: 'array', items: { $ref: '#/$defs/point' }, minItems: 1 },
    },
    required: ['text'],
    additionalProperties: false,
    $defs: { point: { type: 'object', properties: { x: { type: 'number' } } } },
    'x-openhands-tool-routing': { to: ['a', null, 1] },
  };
  const own = await startServer({ environments: [minimal({ tools: { all: { input, run: () => 'ok' } } })] });
  expect((await toolsOf(own, 'minimal'))[0]?.input_schema).toEqual(input);
});

test('D9: a zod schema is published with its types, defaults, choices, descriptions and examples', async () => {
  const all = {
    input: z.object({
      text: z
        .string()
        .describe('any text')
        .meta({ examples: ['a'] }),
      choice: z.enum(['easy', 'hard']).default('easy'),
      nested: z.object({ list: z.array(z.int()).optional() }),
    }),
    run: () => 'ok',
  };
  const own = await startServer({ environments: [minimal({ tools: { all } })] });
  const [tool] = await toolsOf(own, 'minimal');
  expect(tool?.input_schema).toMatchObject({
    type: 'object',
    properties: {
      text: { type: 'string', description: 'any text', examples: ['a'] },
      choice: { type: 'string', enum: ['easy', 'hard'], default: 'easy' },
      nested: { type: 'object', properties: { list: { type: 'array', items: { type: 'integer' } } } },
    },
    required: ['text', 'nested'],
  });
});

test.each([
  ['GET', 'tools', undefined],
  ['GET', 'splits', undefined],
  ['POST', 'tasks', { split: 'train' }],
  ['POST', 'num_tasks', { split: 'train' }],
  ['POST', 'task', { split: 'train', index: 0 }],
  ['POST', 'task_range', { split: 'train' }],
])('D10: %s /nope/%s is 404 with detail', async (method, action, body) => {
  const { url } = server();
  for (const redirect of ['manual', 'follow'] as const) {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(`${url}/nope/${action}`, { method, redirect, headers, body: toJson(body) });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ detail: expect.stringContaining("unknown environment 'nope'") });
  }
});

function toJson(body: object | undefined): string | null {
  return body === undefined ? null : JSON.stringify(body);
}

test('D11: /splits is a bare array of names with types', async () => {
  const { status, json } = await server().get('/math/splits');
  expect(status).toBe(200);
  expect(json).toEqual([
    { name: 'train', type: 'train' },
    { name: 'test', type: 'test' },
    { name: 'hard', type: 'validation' },
  ]);
});

test('D12: a split takes its type from its name, or from its author', async () => {
  const tasks = [{}];
  const splits = {
    train: tasks,
    validation: tasks,
    test: tasks,
    Train: tasks,
    odd: { tasks },
    hard: { type: 'test' as const, tasks },
    huge: { type: 'train' as const, count: 1, get: () => ({}) },
  };
  const { get } = await startServer({ environments: [minimal({ splits })] });
  const types = (await get('/minimal/splits')).json.map(({ name, type }: Record<string, string>) => [name, type]);
  expect(types).toEqual([
    ['train', 'train'],
    ['validation', 'validation'],
    ['test', 'test'],
    ['Train', 'validation'],
    ['odd', 'validation'],
    ['hard', 'test'],
    ['huge', 'train'],
  ]);
});
