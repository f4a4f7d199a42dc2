import Fastify from 'fastify';
import { type Toolkit, toolkit } from 'tiltyard';
import { oxp } from 'tiltyard/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { exchange, toRequest } from '../support/raw.ts';
import { TREE } from '../support/schemas.ts';
import { expectDescribed } from './described.ts';
import { shareToolServer, startToolServer, type ToolServer, toolClient } from './support.ts';
import { VERSIONS } from './toolkits.ts';

const server = shareToolServer();

async function definitions({ get }: Pick<ToolServer, 'get'>): Promise<Record<string, any>> {
  const { json } = await get('/tools');
  return Object.fromEntries(json.items.map((item: { id: string }) => [item.id, item]));
}

/** Serves the toolkits as a plugin of an app that is not ours. */
async function startPlugin(toolkits: readonly Toolkit[], prefix = ''): Promise<Pick<ToolServer, 'get' | 'call'>> {
  const app = Fastify();
  onTestFinished(() => app.close());
  await app.register(oxp, { toolkits, prefix });
  return toolClient(`${await app.listen({ port: 0, host: '127.0.0.1' })}${prefix}`);
}

describe('health', () => {
  test('OXP O1: /health is 200 with a status', async () => {
    const { status, json } = await server().get('/health');
    expect([status, json]).toEqual([200, { status: 'ok' }]);
  });

  test('OXP O1: /health needs no credentials and minds no wrong ones', async () => {
    const { get } = await startToolServer({ auth: { apiKeys: ['right'] } });
    for (const headers of [{}, { 'oxp-api-key': 'wrong' }, { authorization: 'Bearer wrong' }]) {
      expect((await get('/health', { headers })).status).toBe(200);
    }
  });

  test('OXP O1: /health takes no other method', async () => {
    const answer = await server().request('POST', '/health');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('the list of tools', () => {
  test('OXP O2: /tools has the same list under both keys', async () => {
    const { status, json } = await server().get('/tools');
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual(['$schema', 'items', 'tools']);
    expect(json.tools).toEqual(json.items);
    expect(json.items.length).toBeGreaterThan(20);
  });

  test('OXP O2: where there is no tool, both lists are empty', async () => {
    const { get } = await startPlugin([]);
    expect((await get('/tools')).json).toEqual({ $schema: 'urn:oxp:1.0', items: [], tools: [] });
  });

  test('OXP O2: a body that says which version the client speaks does no harm', async () => {
    const body = JSON.stringify({ $schema: 'urn:oxp:1.0' });
    const answer = await exchange(server(), toRequest('GET /tools', ['Content-Type: application/json'], body));
    expectDescribed('GET', '/tools', answer);
    expect(answer.status).toBe(200);
  });

  test('OXP O3: a definition has what the description names, and nothing else', async () => {
    expect((await definitions(server()))['Calculator.Add@1.4.2']).toEqual({
      id: 'Calculator.Add@1.4.2',
      name: 'Calculator_Add',
      description: 'Adds two numbers.',
      version: '1.4.2',
      input_schema: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
      output_schema: { type: 'number' },
    });
  });

  test('OXP O3: requirements are published without the addresses for those who lack them', async () => {
    const all = await definitions(server());
    const scopes = ['https://www.googleapis.com/auth/gmail.send'];
    expect(all['Needs.Mail@1.0.0'].requirements).toEqual({ authorization: [{ id: 'google', oauth2: { scopes } }] });
    expect(all['Needs.Sms@1.0.0'].requirements).toEqual({
      secrets: [{ id: 'TWILIO_SID' }, { id: 'TWILIO_KEY' }],
      user_id: true,
    });
    expect(all['Shapes.NoInput@1.0.0']).not.toHaveProperty('requirements');
  });

  test('OXP O3: a tool without input, one that returns nothing, and one that does not say', async () => {
    const all = await definitions(server());
    expect(all['Shapes.NoInput@1.0.0'].input_schema).toEqual({ type: 'object', properties: {} });
    expect(all['Shapes.NoOutput@1.0.0'].output_schema).toBeNull();
    expect(all['Shapes.Untold@1.0.0'].output_schema).toEqual({});
  });

  test('OXP O7: every version of a tool is listed', async () => {
    const ids = Object.keys(await definitions(server())).filter((id) => id.startsWith('Calculator.Add@'));
    expect(ids).toEqual(VERSIONS.map((version) => `Calculator.Add@${version}`));
  });
});

describe('schemas', () => {
  test('OXP O4: nested types of zod are published as one plain schema', async () => {
    const { input_schema: schema } = (await definitions(server()))['Shapes.Nested@1.0.0'];
    const point = {
      type: 'object',
      properties: { x: { type: 'number' }, label: { type: 'string', minLength: 2 } },
      required: ['x'],
    };
    expect(schema.properties.at).toEqual(point);
    expect(schema.properties.path).toEqual({ type: 'array', items: point, maxItems: 3, default: [] });
    expect(schema.required).toEqual(['name', 'at']);
  });

  test('OXP O4: references are written out, in inputs and outputs, beside what stands next to them', async () => {
    const { input_schema: input, output_schema: output } = (await definitions(server()))['Shapes.Defs@1.0.0'];
    const color = { type: 'string', enum: ['red', 'green'] };
    const line = { type: 'object', properties: { from: color }, required: ['from'] };
    expect(input).toEqual({
      type: 'object',
      properties: {
        line: { ...line, description: 'Which line.' },
        lines: { type: 'array', items: line },
        // A parameter may have the name of a keyword.
        $ref: { type: 'string' },
      },
      required: ['line'],
    });
    expect(output).toEqual({ anyOf: [{ type: 'integer' }, { type: 'null' }] });
  });

  test('OXP O4: no definition refers to anything', async () => {
    const { items } = (await server().get('/tools')).json;
    const others = items.filter(({ id }: { id: string }) => id !== 'Shapes.Defs@1.0.0');
    expect(JSON.stringify(others)).not.toMatch(/"\$ref"|"\$defs"|"definitions"/);
  });

  test('OXP O4: what stands beside a reference is not lost, and loses nothing', async () => {
    const $defs = { Base: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } };
    const input = { $defs, $ref: '#/$defs/Base', type: 'object', properties: { b: { type: 'number' } } };
    const { get, call } = await startPlugin([toolkit({ name: 'Kit', tools: { Do: { input, run: () => 'done' } } })]);
    expect((await get('/tools')).json.items[0].input_schema).toEqual({
      type: 'object',
      properties: { b: { type: 'number' } },
      allOf: [$defs.Base],
    });
    const { json } = await call({ tool_id: 'Kit.Do', input: { b: 'x' } });
    expect(Object.keys(json.parameter_errors).sort()).toEqual(['a', 'b']);
  });

  test('OXP O4: references by names that need escapes, and into lists, are written out', async () => {
    const half = z.string().meta({ id: '50%' });
    const input = {
      type: 'object',
      properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] }, b: { $ref: '#/properties/a/anyOf/0' } },
    };
    const output = z.object({ a: half, b: half });
    const { get } = await startPlugin([toolkit({ name: 'Kit', tools: { Do: { input, output, run: () => null } } })]);
    const [{ input_schema, output_schema }] = (await get('/tools')).json.items;
    expect(input_schema.properties.b).toEqual({ type: 'string' });
    expect(output_schema.properties.b).toMatchObject({ type: 'string' });
  });

  const Category: z.ZodType = z.object({ name: z.string(), children: z.lazy(() => z.array(Category)) });
  test.each([
    ['zod', { input: Category }, 'its input'],
    ['pydantic', { input: TREE }, 'its input'],
    ['the root', { input: { type: 'object', properties: { inner: { $ref: '#' } } } }, 'its input'],
    ['an output', { output: TREE }, 'its output'],
  ])('OXP O4: a type that contains itself (%s) is refused before the server starts', async (_what, schemas, where) => {
    const kit = toolkit({ name: 'Kit', tools: { Grow: { ...schemas, run: () => null } } });
    await expect(startToolServer({ toolkits: [kit] })).rejects.toThrow(
      new RegExp(`toolkit 'Kit', tool 'Grow': ${where} refers to itself \\(#.*OXP cannot publish. Make it finite`),
    );
  });

  test.each(['#here', 'https://schemas.test/a.json'])(
    'OXP O4: a reference to %s, which cannot be inlined, is refused before the server starts',
    async ($ref) => {
      const $defs = { A: { $anchor: 'here', type: 'string' }, B: { $id: 'https://schemas.test/a.json' } };
      const input = { type: 'object', $defs, properties: { a: { $ref } } } as const;
      const kit = toolkit({ name: 'Kit', tools: { Do: { input, run: () => null } } });
      await expect(startToolServer({ toolkits: [kit] })).rejects.toThrow(
        `toolkit 'Kit', tool 'Do': its input refers to ${$ref}, which cannot be inlined`,
      );
    },
  );

  test('OXP O4: the form of the published page is an option', async () => {
    const started = await startToolServer({ oxp: { inputSchemaShape: 'parameters' } });
    const definition = (await definitions(started))['Calculator.Add@1.0.0'];
    const plain = (await definitions(server()))['Calculator.Add@1.0.0'];
    expect(definition).toEqual({ ...plain, input_schema: { parameters: plain.input_schema } });
  });
});

test('OXP O1, O2, O6: the plugin serves under a prefix of its own', async () => {
  const tools = { Do: { run: () => 'done' } };
  const { get, call } = await startPlugin([toolkit({ name: 'Kit', tools })], '/oxp');
  expect((await get('/health')).json).toEqual({ status: 'ok' });
  expect((await get('/tools')).json.items).toHaveLength(1);
  expect((await call({ tool_id: 'Kit.Do' })).json.result.value).toBe('done');
});
