import { type Client, ClientError } from 'tiltyard/client';
import { describe, expect, test } from 'vitest';
import { openSession, quickClient, rejection } from '../support/client.ts';
import { type Exchange, json, type Route, SID, startForeign } from '../support/foreign.ts';
import { quickOxp } from '../support/oxp.ts';

type Ask = (client: Client) => Promise<unknown>;

const environments: Ask = (client) => client.environments();
const begin: Ask = (client) => client.session({ split: 'train', index: 0 });
const splits: Ask = (client) => client.environment('math').splits();
const tasks: Ask = (client) => client.environment('math').tasks('train');
const range: Ask = (client) => client.environment('math').range('train');
const task: Ask = (client) => client.environment('math').task('train', 0);
const count: Ask = (client) => client.environment('math').count('train');
const tools: Ask = (client) => client.environment('math').tools();
const formatted: Ask = (client) => client.environment('math').tools({ format: 'google' });

/** JSON that can be read at any depth, and not be written again. */
const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

const nested = (depth: number) => `${'{"a":'.repeat(depth)}{}${'}'.repeat(depth)}`;

const raw =
  (text: string, status = 200): Route =>
  ({ response }) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);

const ODD: readonly [route: string, body: string, ask: Ask, problem: string][] = [
  ['GET /list_environments', 'null', environments, 'is not a list of names: null'],
  ['GET /list_environments', 'null', begin, 'is not a list of names: null'],
  ['GET /list_environments', '{"a":1}', environments, 'is not a list of names: {"a":1}'],
  ['GET /list_environments', '["a",{}]', environments, 'has a name that cannot be read: {}'],
  ['GET /list_environments', '["\\ud800"]', begin, 'has a name that cannot be read: "\\ud800"'],
  ['GET /list_environments', deep(50_000), environments, 'is nested more than 1000 deep'],
  ['GET /math/splits', '"train"', splits, 'is not a list of splits: "train"'],
  ['GET /math/splits', '["train"]', splits, 'has a split that cannot be read: "train"'],
  ['GET /math/splits', '[{"name":"a"}]', splits, 'has a split that cannot be read: {"name":"a"}'],
  ['POST /math/tasks', 'null', tasks, 'has no tasks: null'],
  ['POST /math/tasks', '{}', tasks, 'has no tasks: {}'],
  ['POST /math/tasks', '{"tasks":{"0":1}}', tasks, 'is not a list of tasks: {"0":1}'],
  ['POST /math/task_range', '{"tasks":null}', range, 'is not a list of tasks: null'],
  ['POST /math/task_range', '{"tasks":[{},null]}', range, 'has a task that cannot be read: null'],
  ['POST /math/task', '[]', task, 'has no task: []'],
  ['POST /math/task', '{"task":5}', task, 'is not a task: 5'],
  ['POST /math/num_tasks', 'null', count, 'has no num_tasks: null'],
  ['POST /math/num_tasks', '{"num_tasks":"x"}', count, 'is not a number of tasks: "x"'],
  ['POST /math/num_tasks', '{"num_tasks":-1}', count, 'is not a number of tasks: -1'],
  ['POST /math/num_tasks', '{"num_tasks":1.5}', count, 'is not a number of tasks: 1.5'],
  ['POST /math/num_tasks', '{"num_tasks":1e999}', count, 'is not a number of tasks: Infinity'],
  ['GET /math/tools', 'null', tools, 'has no tools: null'],
  ['GET /math/tools', '{"tools":null}', formatted, 'is not a list of tools: null'],
  ['GET /math/tools', '{"tools":[null]}', formatted, 'has a tool that cannot be read: null'],
  ['GET /math/tools', '{"tools":[{"description":""}]}', tools, 'has a tool that cannot be read: {"description":""}'],
  [
    'GET /math/tools',
    '{"tools":[{"name":"a","description":1}]}',
    tools,
    'has a tool that cannot be read: {"name":"a",',
  ],
  ['GET /math/tools', '{"tools":[{"name":"a","input_schema":"x"}]}', formatted, 'has a tool that cannot be read: {'],
  [
    'GET /math/tools',
    `{"tools":[{"name":"a","input_schema":${nested(5_000)}}]}`,
    formatted,
    'is nested more than 1000 deep',
  ],
];

test.each(ODD.map(([route, body, ...more]) => [route, body.slice(0, 60), body, ...more] as const))(
  '%s = %s is an error that says so',
  async (route, _shown, body, ask, problem) => {
    const server = await startForeign({ [route]: raw(body) });
    const error = await rejection(ask(quickClient(server, { environment: undefined })));
    const name = problem.startsWith('is nested') ? 'AnswerTooLarge' : 'ClientError';
    const isPart = problem.includes('that cannot be read');
    const code = name === 'AnswerTooLarge' ? 'answer_too_large' : isPart ? 'unreadable_part' : 'unexpected_answer';
    expect(error).toMatchObject({ name, code, sid: undefined });
    expect(error.message).toContain(`the answer to ${route} ${problem}`);
    // It would be the same the next time.
    expect(server.seen).toHaveLength(1);
  },
);

test.each([
  ['prompt', '"Add."', 'is not a list of blocks: "Add."'],
  ['prompt', '[null]', 'has a block that cannot be read: null'],
  ['prompt', '[{"type":"text"}]', 'has a block that cannot be read: {"type":"text"}'],
  ['prompt', '[{"type":"image","data":5}]', 'has a block that cannot be read: {"type":"image","data":5}'],
  ['task_tools', '{"tools":null}', 'is not a list of tools: null'],
])('of a session, %s = %s is an error that says so', async (what, body, problem) => {
  const server = await startForeign({ [`GET /math/${what}`]: raw(body) });
  const session = await openSession(server);
  const error = await rejection(what === 'prompt' ? session.prompt() : session.tools({ format: 'openai' }));
  expect(error).toMatchObject({
    name: 'ClientError',
    sid: SID,
    message: `the answer to GET /math/${what} ${problem}`,
  });
  // A call needs neither.
  expect((await session.call('add')).text).toBe('done');
});

test('what a server leaves out of a tool is filled up, and what it adds is kept', async () => {
  const sent = [{ name: 'a' }, { name: 'b', description: null, input_schema: {}, hint: 1 }];
  const server = await startForeign({ 'GET /math/tools': json({ tools: sent }) });
  expect(await quickClient(server).environment('math').tools()).toEqual([
    { name: 'a', description: '', input_schema: null },
    { name: 'b', description: '', input_schema: {}, hint: 1 },
  ]);
});

test.each([
  ['null', 'is not a list of tools: null'],
  ['{"items":5}', 'is not a list of tools: 5'],
  ['{"items":[{"id":"a","name":5}]}', 'has a tool that cannot be read: {"id":"a","name":5}'],
  ['[{"id":"a","input_schema":"x"}]', 'has a tool that cannot be read: {"id":"a","input_schema":"x"}'],
  ['[{"id":"a","requirements":{"secrets":5}}]', 'has a tool that cannot be read: {"id":"a","requirements"'],
])('OXP: GET /tools = %s is an error that says so', async (body, problem) => {
  const server = await startForeign({ 'GET /tools': raw(body) });
  const error = await rejection(quickOxp(server).tools());
  expect(error.name).toBe('ClientError');
  expect(error.message).toContain(`the answer to GET /tools ${problem}`);
});

test.each([
  ['null', 'has no result: null'],
  ['{"result":[]}', 'has no result: {"result":[]}'],
  ['{"result":', 'is not JSON: {"result":'],
])('OXP: a call answered with %s is an error that names the call', async (body, problem) => {
  const server = await startForeign({ 'POST /tools/call': raw(body) });
  const error = await rejection(quickOxp(server).call('Any.Tool', {}, { callId: 'call-1' }));
  expect(error).toMatchObject({ name: 'ClientError', taskId: 'call-1' });
  expect(error.message).toBe(`the answer to POST /tools/call ${problem}`);
  expect(server.on('/tools/call')).toHaveLength(1);
});

describe('a detail of any shape', () => {
  const DETAILS: [detail: string, text: string][] = [
    ['[{"msg":{"toString":1}}]', '{"toString":1}'],
    ['[{"loc":[{"toString":1},"a"],"msg":"no"}]', '{"toString":1}.a: no'],
    ['[[{"toString":1}]]', '[{"toString":1}]'],
    [deep(50_000), `{"detail":${'['.repeat(400)}`],
  ];

  test.each(DETAILS.map(([detail, text]) => [detail.slice(0, 40), detail, text] as const))(
    '%s is text, and a 503 with it is tried again',
    async (_shown, detail, text) => {
      const busy = raw(`{"detail":${detail}}`, 503);
      const server = await startForeign({
        'GET /math/prompt': (exchange: Exchange) => (exchange.count < 3 ? busy : json([]))(exchange),
        'POST /tools/call': busy,
      });
      const session = await openSession(server);
      expect(await session.prompt()).toEqual([]);
      expect(await rejection(quickOxp(server).call('Any.Tool'))).toMatchObject({
        name: 'MaxRetries',
        message: expect.stringContaining(`the server answered 503: ${text}`),
      });
    },
  );
});

test.each(['http://[', '//:80:80', 'http://'])('a redirect to %s is an error that says so', async (location) => {
  const astray: Route = ({ response }) => response.writeHead(307, { location }).end();
  const server = await startForeign({
    'GET /list_environments': astray,
    'GET /tools': astray,
    'POST /math/call': astray,
  });
  const session = await openSession(server);
  const asked: [string, Promise<unknown>][] = [
    ['GET /list_environments', quickClient(server).environments()],
    ['GET /tools', quickOxp(server).tools()],
    ['POST /math/call', session.call('add')],
  ];
  for (const [what, asking] of asked) {
    const error = await rejection(asking);
    expect(error).toMatchObject({ name: 'ClientError', status: 307 });
    expect(error.message).toBe(`the answer to ${what} redirects to an invalid URL: ${location}`);
  }
});

/** What a walk gave, and how it ended. */
async function walk(pages: (start: number, stop: number) => unknown[], size: unknown): Promise<[unknown[], unknown]> {
  const server = await startForeign({
    'POST /math/num_tasks': json({ num_tasks: size }),
    'POST /math/task_range': (exchange) => {
      const { start, stop } = exchange.seen.body;
      return json({ tasks: pages(start, stop) })(exchange);
    },
  });
  const walked: unknown[] = [];
  try {
    for await (const each of quickClient(server).environment('math').walk('train', { pageSize: 10 })) walked.push(each);
  } catch (error) {
    return [walked, error];
  }
  return [walked, undefined];
}

const numbered = (start: number, stop: number) =>
  Array.from({ length: Math.max(0, stop - start) }, (_, at) => ({ id: start + at }));

describe('a walk through a split', () => {
  test('that has fewer tasks than the server says ends with an error', async () => {
    const [walked, error] = await walk((start, stop) => numbered(start, Math.min(stop, 12)), 1e15);
    expect(walked).toEqual(numbered(0, 12));
    expect(error).toBeInstanceOf(ClientError);
    expect((error as Error).message).toBe(
      "the server says that split 'train' has 1000000000000000 tasks, and sent 0 when asked for those from 12 to 22",
    );
  });

  test('whose pages are longer than asked for gives no task twice', async () => {
    const [walked, error] = await walk((start) => numbered(start, 25), 25);
    expect(walked).toEqual([]);
    expect((error as Error).message).toContain('and sent 25 when asked for those from 0 to 10');
  });

  test('whose pages are shorter than asked for leaves out no task', async () => {
    const [walked, error] = await walk((start, stop) => numbered(start, Math.min(stop, start + 4)), 25);
    expect([walked, error]).toEqual([numbered(0, 25), undefined]);
  });

  test('of which the server does not know the size is an error, not an empty walk', async () => {
    const [walked, error] = await walk(numbered, 'x');
    expect(walked).toEqual([]);
    expect((error as Error).message).toBe('the answer to POST /math/num_tasks is not a number of tasks: "x"');
  });
});
