import type { Client, Session } from 'tiltyard/client';
import { TimedOut } from 'tiltyard/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { eventually, openSession, quickClient, rejection } from '../support/client.ts';
import { json, openStream, type Route, SERVER_ID, startForeign, toPythonEvents } from '../support/foreign.ts';
import { startServer } from '../support/http.ts';

interface Waiting {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

const FIRST = { split: 'train', index: 0 };

/** Never answers. */
const hang: Route = () => {};

const OF_CLIENT: readonly [name: string, run: (client: Client, how: Waiting) => Promise<unknown>][] = [
  ['environments', (client, how) => client.environments(how)],
  ['splits', (client, how) => client.environment('math').splits(how)],
  ['tasks', (client, how) => client.environment('math').tasks('train', how)],
  ['count', (client, how) => client.environment('math').count('train', how)],
  ['task', (client, how) => client.environment('math').task('train', 0, how)],
  ['range', (client, how) => client.environment('math').range('train', 0, 1, how)],
  ['tools', (client, how) => client.environment('math').tools(how)],
  ['session', (client, how) => client.session({ ...FIRST, ...how })],
];

const OF_SESSION: readonly [name: string, run: (session: Session, how: Waiting) => Promise<unknown>][] = [
  ['prompt', (session, how) => session.prompt(how)],
  ['tools', (session, how) => session.tools(how)],
  ['call', (session, how) => session.call('add', {}, how)],
  ['close', (session, how) => session.close(how)],
];

const HANGING = Object.fromEntries(
  [
    'GET /list_environments',
    'GET /math/splits',
    'POST /math/tasks',
    'POST /math/num_tasks',
    'POST /math/task',
    'POST /math/task_range',
    'GET /math/tools',
    'POST /create',
    'GET /math/prompt',
    'GET /math/task_tools',
    'POST /math/call',
    'POST /delete',
  ].map((route) => [route, hang]),
);

/** Checks that an operation ends with its time and with its signal, and not before something was asked. */
async function expectEnds(run: (how: Waiting) => Promise<unknown>): Promise<void> {
  const late = await rejection(run({ timeoutMs: 30 }));
  expect(late).toBeInstanceOf(TimedOut);
  expect(late.message).toMatch(/ took longer than \d+ ms$/);
  const controller = new AbortController();
  const aborted = rejection(run({ signal: controller.signal, timeoutMs: 10_000 }));
  controller.abort(new Error('enough'));
  expect((await aborted).message).toBe('enough');
  expect((await rejection(run({ signal: AbortSignal.abort(new Error('before')) }))).message).toBe('before');
}

test.each(OF_CLIENT)('K20: %s of a client takes a signal and a time limit', async (_name, run) => {
  const client = quickClient(await startForeign(HANGING));
  await expectEnds((how) => run(client, how));
});

test.each(OF_SESSION)('K20: %s of a session takes a signal and a time limit', async (_name, run) => {
  const server = await startForeign({ ...HANGING, 'POST /create': json({ sid: 'x' }) });
  const client = quickClient(server);
  await expectEnds(async (how) => run(await client.session(FIRST), how));
});

test('K20: the time is for the whole operation, retries and pauses included', async () => {
  const server = await startForeign({ 'GET /list_environments': json({ detail: 'busy' }, 503) });
  const client = quickClient(server, { retry: { attempts: 1_000, pauseMs: 20, maxPauseMs: 20 } });
  expect(await rejection(client.environments({ timeoutMs: 1_000 }))).toBeInstanceOf(TimedOut);
  expect(server.seen.length).toBeGreaterThan(2);
});

test('K20: the time of a session that has to find its environment first is for both', async () => {
  // The time goes only while the server thinks.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const server = await startForeign({
    'GET /list_environments': async (exchange) => {
      await vi.advanceTimersByTimeAsync(200);
      json(['math'])(exchange);
    },
    'POST /create': () => vi.advanceTimersByTimeAsync(400),
  });
  const error = await rejection(quickClient(server, { environment: undefined }).session({ ...FIRST, timeoutMs: 600 }));
  // What the first question has left over.
  expect(error.message).toBe('beginning a session took longer than 400 ms');
});

test('K20: the time of a question that needs a session id is for both', async () => {
  const server = await startForeign({ 'POST /create_session': hang });
  const client = quickClient(server, { discoveryNeedsSession: true, silenceMs: 100 });
  await expectEnds((how) => client.environments(how));
});

test('K20: a call that is given up in the middle of its stream knows its session, and drops its connection', async () => {
  let isClosed = false;
  const server = await startForeign({
    'POST /math/call': ({ response }) => {
      response.on('close', () => {
        isClosed = true;
      });
      openStream(response).write(toPythonEvents(['task_id', SERVER_ID]));
    },
  });
  const session = await openSession(server);
  const error = await rejection(session.call('add', {}, { timeoutMs: 60 }));
  expect(error).toMatchObject({
    name: 'TimedOut',
    message: "the call of 'add' took longer than 60 ms",
    sid: session.sid,
  });
  await eventually(() => expect(isClosed).toBe(true));
  expect(await session.prompt()).toMatchObject([{ text: 'Add.' }]);
});

test('K20: limits of Infinity mean none', async () => {
  const server = await startServer();
  await using session = await quickClient(server, { pingMs: Infinity, silenceMs: Infinity }).session({
    ...FIRST,
    timeoutMs: Infinity,
  });
  expect(await session.call('slow', { ms: 50 }, { timeoutMs: Infinity })).toMatchObject({ text: 'waited 50' });
});

test.each([0, -1, Number.NaN])('pings every %d ms are refused', (pingMs) => {
  expect(() => quickClient({ url: 'http://localhost' }, { pingMs })).toThrow('pingMs must be more than 0');
});
