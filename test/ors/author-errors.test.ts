import { ToolError } from 'tiltyard';
import type { ReturnErrors } from 'tiltyard/server';
import { describe, expect, test } from 'vitest';
import { expectError } from '../support/errors.ts';
import { type Answer, shareServer, startServer, type TestServer } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';

/** What an HTTP client's error often looks like. */
function cyclic(): Error {
  const error = new Error('socket hang up');
  return Object.assign(error, { request: { response: { error } }, cause: error });
}

function unreadable(): Error {
  return Object.defineProperty(new Error(), 'message', {
    get() {
      throw new Error('not readable');
    },
  });
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const UNUSUAL: [what: string, thrown: unknown][] = [
  ['undefined', undefined],
  ['null', null],
  ['a string', 'just text'],
  ['a symbol', Symbol('s')],
  ['an object without a prototype', Object.create(null)],
  ['an error with a status', Object.assign(new Error('teapot'), { statusCode: 200, status: 404 })],
  ['an error whose message is no string', Object.assign(new Error(), { message: { not: 'text' } })],
  ['an error that leads back to itself', cyclic()],
  ['an error that cannot be read', unreadable()],
  ['a proxy that is gone', revoked()],
];

/** An environment whose code throws a value wherever it can. */
function throwing(thrown: unknown) {
  const fail = () => {
    throw thrown;
  };
  const failLater = async () => fail();
  return minimal({
    name: 'math',
    splits: { train: [{}], broken: failLater, indexed: { count: 1, get: fail }, uncounted: { count: fail, get: fail } },
    setup: ({ task }: { task: { setup?: boolean } }) => (task.setup ? fail() : undefined),
    prompt: fail,
    tools: {
      sync: { run: fail },
      async: { run: failLater },
      told: { run: () => Promise.reject(new ToolError('not there', { cause: thrown })) },
    },
  });
}

/** Every door behind which the author's code throws, outside of tools. */
async function knockEverywhere({ post, get, create }: TestServer): Promise<Answer[]> {
  const ready = await create({ task_spec: {} });
  const failed = await create({ task_spec: { setup: true }, secrets: { KEY: 'a secret' } });
  return Promise.all([
    post('/math/tasks', { split: 'broken' }),
    post('/math/num_tasks', { split: 'uncounted' }),
    post('/math/task', { split: 'indexed', index: 0 }),
    post('/math/task_range', { split: 'indexed' }),
    post('/create', { split: 'broken', index: 0 }, { sid: 'free' }),
    get('/math/prompt', { sid: ready }),
    get('/math/prompt', { sid: failed }),
    get('/math/task_tools', { sid: failed }),
    post('/math/call', { name: 'sync', input: {} }, { sid: failed }),
  ]);
}

describe('what an author throws', () => {
  test('G6: an exception of the prompt is 500 with a detail', async () => {
    const { create, get } = await startServer();
    const sid = await create({ task_spec: { prompt_fail: 'the file is gone' } });
    expectError(await get('/math/prompt', { sid }), 500, 'Error: the file is gone');
  });

  test.each(UNUSUAL)('G6: %s, thrown anywhere, is 500 with a detail', async (_what, thrown) => {
    const server = await startServer({ environments: [throwing(thrown)] });
    for (const answer of await knockEverywhere(server)) expectError(answer, 500);
    expect((await server.get('/health')).status).toBe(200);
  });

  test.each(UNUSUAL)('G6: %s, thrown by a tool, ends its call and no other', async (_what, thrown) => {
    const server = await startServer({ environments: [throwing(thrown)] });
    const sid = await server.create({ task_spec: {}, secrets: { KEY: 'a secret' } });
    for (const name of ['sync', 'async']) expect((await server.call(sid, name)).error).toMatch(/\S/);
    expect((await server.call(sid, 'told')).result).toMatchObject({
      ok: false,
      error: "Tool 'told' failed: not there",
    });
  });

  test.each([
    ['hold what JSON cannot', [{ n: 1n }]],
    ['are not objects', ['text']],
    ['are no list', 'text'],
  ])('G6: tasks that %s are 500 with a detail', async (_what, tasks) => {
    const { post } = await startServer({ environments: [minimal({ splits: { train: () => tasks as [] } })] });
    expectError(await post('/minimal/tasks', { split: 'train' }), 500);
  });
});

describe('how much of it clients see', () => {
  const start = (returnErrors: ReturnErrors) =>
    startServer({ returnErrors, environments: [throwing(new TypeError('the disk is gone'))] });

  test("G7: returnErrors 'none' says nothing but Internal Server Error", async () => {
    for (const answer of await knockEverywhere(await start('none'))) {
      expectError(answer, 500, /^Internal Server Error$/);
      expect(answer.text).not.toMatch(/disk|TypeError/);
    }
  });

  test("G7: returnErrors 'exception' gives the name and the message, and no stack", async () => {
    for (const answer of await knockEverywhere(await start('exception'))) {
      expectError(answer, 500, /^TypeError: the disk is gone$/);
    }
  });

  test("G7: returnErrors 'stacktrace' gives the stack as well", async () => {
    for (const { status, json } of await knockEverywhere(await start('stacktrace'))) {
      expect(status).toBe(500);
      expect(json.detail).toMatch(/^TypeError: the disk is gone\n\s+at .*author-errors/);
    }
  });

  const server = shareServer({ environments: [throwing(new TypeError('the disk is gone'))] });
  test("G7: the default is 'exception'", async () => {
    expectError(await server().post('/math/tasks', { split: 'broken' }), 500, /^TypeError: the disk is gone$/);
  });
});
