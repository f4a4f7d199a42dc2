import type { Client } from 'tiltyard/client';
import { expect, test } from 'vitest';
import { quickClient, rejection } from '../support/client.ts';
import { json, startForeign, stream } from '../support/foreign.ts';
import { shareServer, startServer } from '../support/http.ts';
import { minimal, numbered } from '../support/minimal.ts';

const server = shareServer();

const QUESTIONS: readonly [name: string, ask: (client: Client) => Promise<unknown>, answer: unknown][] = [
  ['environments', (client) => client.environments(), ['math', 'code_env']],
  ['splits', (client) => client.environment('Code_Env').splits(), [{ name: 'train', type: 'train' }]],
  ['tasks', (client) => client.environment('Code_Env').tasks('train'), [{ file: 'a.py' }, { file: 'b.py' }]],
  ['count', (client) => client.environment('math').count('train'), 10],
  ['task', (client) => client.environment('Code_Env').task('train', 1), { file: 'b.py' }],
  ['range', (client) => client.environment('Code_Env').range('train', -1), [{ file: 'b.py' }]],
  ['range', (client) => client.environment('Code_Env').range('train', 0, 1), [{ file: 'a.py' }]],
  ['range', (client) => client.environment('Code_Env').range('train'), [{ file: 'a.py' }, { file: 'b.py' }]],
  [
    'tools',
    (client) => client.environment('Code_Env').tools(),
    [{ name: 'run', description: 'Runs the file.', input_schema: null }],
  ],
];

test.each(QUESTIONS)('K18: %s takes one request, and no session', async (_name, ask, answer) => {
  const sent: Request[] = [];
  const client = quickClient(server(), {
    fetch(url, init) {
      sent.push(new Request(url, init));
      return fetch(url, init);
    },
  });
  expect(await ask(client)).toEqual(answer);
  expect(sent).toHaveLength(1);
  expect(sent[0]?.headers.has('x-session-id')).toBe(false);
});

test('K18: a server that wants a session id even for this gets one, asked for once', async () => {
  const foreign = await startForeign({ 'GET /math/splits': json([]) });
  const client = quickClient(foreign, { discoveryNeedsSession: true });
  const math = client.environment('math');
  await Promise.all([math.splits(), client.environments(), math.splits()]);
  await math.splits();
  expect(foreign.on('/create_session')).toHaveLength(1);
  const others = foreign.seen.filter(({ path }) => path !== '/create_session');
  expect(others).toHaveLength(4);
  expect(new Set(others.map(({ headers }) => headers['x-session-id'])).size).toBe(1);
  expect(others[0]?.headers['x-session-id']).toBeTypeOf('string');
});

test('K18: such an id is asked for again when the server has forgotten it', async () => {
  let issued = 0;
  const foreign = await startForeign({
    'POST /create_session': (exchange) => {
      issued += 1;
      stream(['task_id', `sid-${issued}`], ['end', ''])(exchange);
    },
    'GET /math/splits': (exchange) =>
      (exchange.seen.headers['x-session-id'] === 'sid-1' && exchange.count > 1
        ? json({ detail: 'Session not found' }, 404)
        : json([]))(exchange),
  });
  const math = quickClient(foreign, { discoveryNeedsSession: true }).environment('math');
  await math.splits();
  expect(await math.splits()).toEqual([]);
  expect(issued).toBe(2);
});

test('K18: an id that could not be had is asked for again with the next question', async () => {
  const foreign = await startForeign({
    'POST /create_session': (exchange) =>
      (exchange.count === 1 ? json({ detail: 'no' }, 500) : stream(['task_id', 'x'], ['end', '']))(exchange),
  });
  const client = quickClient(foreign, { discoveryNeedsSession: true });
  expect(await rejection(client.environments())).toMatchObject({ status: 500 });
  expect(await client.environments()).toEqual(['math']);
});

test('the answer to a question that is not JSON is told as such', async () => {
  const foreign = await startForeign({ 'GET /list_environments': ({ response }) => response.end('<html>hi</html>') });
  const error = await rejection(quickClient(foreign).environments());
  expect(error).toMatchObject({
    name: 'ClientError',
    message: 'the answer to GET /list_environments is not JSON: <html>hi</html>',
  });
});

test('names of environments may hold any character', async () => {
  const foreign = await startForeign({ 'GET /a%2Fb%20%C3%A9/splits': json([]) });
  expect(await quickClient(foreign).environment('a/b é').splits()).toEqual([]);
});

const ids = (from: number, to: number) => numbered(to).slice(from);

test.each([
  ['the whole split', {}, ids(0, 25), 4],
  ['from a place on', { start: 20 }, ids(20, 25), 2],
  ['up to a place', { stop: 3 }, ids(0, 3), 2],
  ['the last ones', { start: -3 }, ids(22, 25), 2],
  ['all but the last ones', { stop: -20 }, ids(0, 5), 2],
  ['past the end', { start: 24, stop: 99 }, ids(24, 25), 2],
  ['nothing', { start: 5, stop: 5 }, [], 1],
  ['nothing, from past the end', { start: 99 }, [], 1],
  ['all, from before the start', { start: -99 }, ids(0, 25), 4],
])('a walk through %s gives its tasks by the page', async (_name, bounds, expected, requests) => {
  const { url } = await startServer({ environments: [minimal({ splits: { train: numbered(25) } })] });
  let sent = 0;
  const client = quickClient(
    { url },
    {
      fetch(target, init) {
        sent += 1;
        return fetch(target, init);
      },
    },
  );
  const walked: unknown[] = [];
  for await (const task of client.environment('minimal').walk('train', { pageSize: 10, ...bounds })) walked.push(task);
  expect(walked).toEqual(expected);
  expect(sent).toBe(requests);
});

test('a walk of a million tasks asks only for what is looked at', async () => {
  const asked: number[] = [];
  const get = (id: number) => {
    asked.push(id);
    return { id };
  };
  const huge = minimal({ splits: { train: { count: 1_000_000, get } } });
  const { url } = await startServer({ environments: [huge] });
  for await (const { id } of quickClient({ url }).environment('minimal').walk('train')) if (id === 150) break;
  expect(asked).toHaveLength(200);
});

test('a walk refuses pages without tasks, and ends with its signal', async () => {
  const math = quickClient(server()).environment('math');
  await expect(math.walk('train', { pageSize: 0 }).next()).rejects.toThrow('pageSize must be at least 1, not 0');
  const controller = new AbortController();
  const walk = math.walk('train', { pageSize: 1, signal: controller.signal });
  await walk.next();
  controller.abort(new Error('enough'));
  await expect(walk.next()).rejects.toThrow('enough');
});
