import { createConfig, lintFromString } from '@redocly/openapi-core';
import { tool, toolkit } from 'tiltyard';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startServer, type TestOptions, type TestServer } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';
import { describedBy } from './described.ts';
import { send, sidFor } from './operations.ts';
import { bank } from './toolkits.ts';

const tasks = (count: number) => Array.from({ length: count }, (_, index) => ({ index }));

/** Whether a server's document takes a body, by what the server is. */
async function takes(options: TestOptions | TestServer, operation: string): Promise<(body: unknown) => boolean> {
  const { document, contract, find } = await describedBy('get' in options ? options : await startServer(options));
  const { schema } = document.paths[find(operation).route].post.requestBody.content['application/json'];
  return (body) => contract.fits(schema, body);
}

async function problemsOf(document: object): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

describe('tasks', () => {
  const one = minimal({ name: 'one', splits: { train: tasks(3), empty: [] } });
  const two = minimal({
    name: 'two',
    splits: {
      train: tasks(5),
      lazy: () => tasks(2),
      byIndex: { count: 4, get: (index: number) => ({ index }) },
      counted: { count: async () => 4, get: (index: number) => ({ index }) },
    },
  });

  test.each(['POST /one/task', 'POST /create'])(
    '%s: splits, and indexes as far as they are known',
    async (operation) => {
      const fits = await takes({ environments: [one, two] }, operation);
      const last = (split: string) => [2, 3, 4, 5].filter((index) => fits({ split, index })).at(-1);
      expect(last('train')).toBe(4);
      expect(last('byIndex')).toBe(3);
      expect(last('lazy')).toBe(5);
      expect(last('counted')).toBe(5);
      expect(last('empty')).toBeUndefined();
      expect(last('nope')).toBeUndefined();
    },
  );

  test('the document does not load what the author loads when it is wanted', async () => {
    let loads = 0;
    const load = () => {
      loads += 1;
      return tasks(1);
    };
    await takes({ environments: [minimal({ splits: { train: load } })] }, 'POST /create');
    expect(loads).toBe(0);
  });

  test('environments are named, and a request may leave the name out', async () => {
    const fits = await takes({ environments: [one, two] }, 'POST /create');
    const named = (env_name?: string | null) => fits({ env_name, split: 'train', index: 0 });
    expect(['one', 'two', null, 'three', ''].map(named)).toEqual([true, true, true, false, false]);
    expect(fits({ split: 'train', index: 0 })).toBe(true);
  });
});

describe('tools of environments', () => {
  const run = () => 'ok';
  const first = minimal({
    name: 'first',
    tools: {
      same: { input: z.object({ a: z.string() }), run },
      differs: { input: z.object({ a: z.string() }), run },
      free: { run },
      hidden: { input: z.object({ a: z.string() }), shared: false, run },
    },
  });
  const second = minimal({
    name: 'second',
    tools: { same: { input: z.object({ a: z.string() }), run }, differs: { input: z.object({ b: z.number() }), run } },
  });

  test('the input of each is told, and what one environment takes is right', async () => {
    const server = await startServer({ environments: [first, second] });
    const fits = await takes(server, 'POST /first/call');
    for (const env of ['first', 'second']) {
      for (const name of ['same', 'differs', 'free']) {
        for (const input of [{ a: 'x' }, { b: 1 }, {}]) {
          const sid = await server.create({ env_name: env, split: 'train', index: 0 });
          const { status } = await server.call(sid, name, input, { env });
          if (status === 200) expect(fits({ name, input }), `${env} ${name} ${JSON.stringify(input)}`).toBe(true);
        }
      }
    }
    expect(fits({ name: 'same', input: {} })).toBe(false);
    expect(fits({ name: 'differs', input: {} })).toBe(false);
  });

  test('one that only some tasks have is not named, but can be called', async () => {
    const server = await startServer({ environments: [first] });
    const { text } = await server.get('/openapi.json');
    expect(text).toContain('differs');
    expect(text).not.toContain('hidden');
    const fits = await takes(server, 'POST /first/call');
    expect(fits({ name: 'hidden', input: { a: 'x' } })).toBe(true);
    const closed = await takes({ environments: [second] }, 'POST /second/call');
    expect(closed({ name: 'hidden', input: { a: 'x' } })).toBe(false);
  });

  test('references inside an input lead where the author meant them to', async () => {
    const node = { type: 'object', properties: { next: { $ref: '#' }, n: { $ref: '#/$defs/ab' } }, required: ['n'] };
    const Tree: z.ZodType = z.object({
      value: z.number(),
      get children() {
        return z.array(Tree);
      },
    });
    const environment = minimal({
      tools: {
        list: { input: { ...node, $defs: { ab: { $ref: '#/$defs/c' }, c: { type: 'integer' } } }, run },
        tree: { input: z.object({ root: Tree }), run },
      },
    });
    const server = await startServer({ environments: [environment] });
    const { document } = await describedBy(server);
    expect(await problemsOf(document)).toEqual([]);
    const fits = await takes(server, 'POST /minimal/call');
    expect(fits({ name: 'list', input: { n: 1, next: { n: 2 } } })).toBe(true);
    expect(fits({ name: 'list', input: { n: 1, next: { n: 'x' } } })).toBe(false);
    const leaf = { value: 1, children: [] };
    expect(fits({ name: 'tree', input: { root: { value: 1, children: [leaf] } } })).toBe(true);
    expect(fits({ name: 'tree', input: { root: { value: 1, children: [{ value: 1 }] } } })).toBe(false);
  });

  // In a document of another address or dialect these would mean something else, or nothing.
  test.each<[what: string, input: object]>([
    ['has an address of its own', { $id: 'https://author.example/put', type: 'object', required: ['a'] }],
    ['is of an older draft', { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', required: ['a'] }],
    [
      'has an anchor',
      {
        type: 'object',
        properties: { a: { $ref: '#b' } },
        $defs: { b: { $anchor: 'b', type: 'string' } },
        required: ['a'],
      },
    ],
    ['has a constant that looks like a reference', { type: 'object', const: { $ref: '#/nowhere' } }],
  ])('one whose input %s is only named', async (_what, input) => {
    const server = await startServer({ environments: [minimal({ tools: { put: { input: input as never, run } } })] });
    const { document } = await describedBy(server);
    expect(await problemsOf(document)).toEqual([]);
    const fits = await takes(server, 'POST /minimal/call');
    expect(fits({ name: 'put', input: {} })).toBe(true);
    expect(fits({ name: 'other', input: {} })).toBe(false);
  });

  test('hundreds with large inputs are all named, in a document that stays small', async () => {
    const description = 'long '.repeat(1_000);
    const input = { type: 'object', properties: { a: { type: 'string', description } }, required: ['a'] };
    const tools = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`tool_${at}`, { input, run }]));
    const server = await startServer({ environments: [minimal({ tools })] });
    const { text } = await server.get('/openapi.json');
    expect(text.length).toBeLessThan(512 * 1024);
    const fits = await takes(server, 'POST /minimal/call');
    expect(fits({ name: 'tool_0', input: {} })).toBe(false);
    expect(fits({ name: 'tool_199', input: {} })).toBe(true);
    expect(fits({ name: 'tool_200', input: {} })).toBe(false);
  });
});

describe('tools of toolkits', () => {
  const run = () => 'ok';
  const versioned = toolkit({
    name: 'Files',
    tools: {
      Read: [
        tool({ version: '1.0.0', input: z.object({ path: z.string() }), run }),
        tool({ version: '1.10.0', input: z.object({ url: z.string() }), run }),
        tool({ version: '1.9.0', input: z.object({ name: z.string() }), run }),
      ],
      List: [tool({ version: '2.0.0', scopes: ['admin'], run }), tool({ version: '1.0.0', run })],
    },
  });

  test('each id has the input of the version that it means', async () => {
    const fits = await takes({ environments: [], toolkits: [versioned] }, 'POST /tools/call');
    const inputs = { path: { path: 'x' }, url: { url: 'x' }, name: { name: 'x' } };
    const taken = (tool_id: string) =>
      Object.entries(inputs).flatMap(([what, input]) => (fits({ request: { tool_id, input } }) ? [what] : []));
    expect(taken('Files.Read')).toEqual(['url']);
    expect(taken('Files.Read@1')).toEqual(['path']);
    expect(taken('Files.Read@1.9.0')).toEqual(['name']);
    expect(taken('Files.Read@1.10.0')).toEqual(['url']);
    expect(fits({ request: { tool_id: 'Files.Read' } })).toBe(false);
  });

  test('an id that some may not see, or that means another version to them, is not told', async () => {
    const server = await startServer({ environments: [], toolkits: [versioned] });
    const { text } = await server.get('/openapi.json');
    expect(text).toContain('"Files.List@1.0.0"');
    expect(text).not.toContain('"Files.List"');
    expect(text).not.toContain('Files.List@2');
    const fits = await takes(server, 'POST /tools/call');
    expect(fits({ request: { tool_id: 'Files.List' } })).toBe(true);
    expect(fits({ request: { tool_id: 'Files.List@2.0.0' } })).toBe(true);
  });

  test('what a tool requires of its caller is part of its call', async () => {
    const server = await startServer({ environments: [], toolkits: [bank] });
    const fits = await takes(server, 'POST /tools/call');
    const secrets = [{ id: 'PIN', value: '1234' }];
    const authorization = [{ id: 'bank', token: 't' }];
    const contexts = [undefined, {}, { secrets }, { secrets, user_id: 'u' }, { secrets, authorization, user_id: 'u' }];
    for (const context of contexts) {
      const body = { request: { tool_id: 'Bank.Transfer', ...(context === undefined ? {} : { context }) } };
      const { status } = await server.post('/tools/call', body);
      expect(fits(body), JSON.stringify(body)).toBe(status === 200);
    }
  });
});

test('links lead to operations, and give them parameters that they have', async () => {
  const { document } = await describedBy(await startServer());
  const operations = Object.values<any>(document.paths).flatMap((path) => Object.values<any>(path));
  const links = operations.flatMap(({ responses }) => Object.values<any>(responses[200].links ?? {}));
  expect(links.length).toBeGreaterThan(5);
  for (const { operationId, parameters } of links) {
    const target = operations.find((operation) => operation.operationId === operationId);
    const known = target.parameters.map((parameter: any) => `${parameter.in}.${parameter.name}`);
    expect(known).toEqual(expect.arrayContaining(Object.keys(parameters)));
  }
});

test('a body that is not an object gets an id for a session, as the document says', async () => {
  const server = await startServer();
  const { find } = await describedBy(server);
  const fits = await takes(server, 'POST /create_session');
  for (const body of [{}, { task_id: 5 }, [], 'text', 7]) {
    const operation = { ...find('POST /create_session'), body };
    const { status } = await send(server, operation, { sid: await sidFor(server, operation) });
    expect([fits(body), status]).toEqual([true, 200]);
  }
});
