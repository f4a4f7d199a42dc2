import { type Session, SessionTerminated } from 'tiltyard/client';
import { expect, test } from 'vitest';
import { eventually, openSession, quickClient, rejection } from '../support/client.ts';
import {
  envelope,
  type ForeignServer,
  json,
  openStream,
  SERVER_ID,
  startForeign,
  stream,
  toPythonEvents,
} from '../support/foreign.ts';
import { gate } from '../support/gate.ts';
import { startGated } from '../support/gates.ts';
import { startServer } from '../support/http.ts';

const gone = json({ detail: 'Session deleted' }, 410);

/** A session in which `slow` runs when the server says of another call that the session is gone. */
interface Lost {
  readonly server: ForeignServer;
  readonly session: Session;
  readonly running: Promise<unknown>;
  /** What the other call heard. */
  readonly heard: SessionTerminated;
  /** Sends the result of `slow`. */
  finish(): void;
}

async function loseSession(options: { silenceMs?: number; signal?: AbortSignal } = {}): Promise<Lost> {
  const { opened, open } = gate();
  const { opened: lost, open: lose } = gate();
  const server = await startForeign({
    'POST /math/call': async (exchange) => {
      const { name, task_id: repeated } = exchange.seen.body;
      if (name !== 'slow' || repeated !== undefined) {
        lose();
        return gone(exchange);
      }
      const stream = openStream(exchange.response);
      stream.write(toPythonEvents(['task_id', SERVER_ID]));
      // A server goes on to send pings for as long as it has the session.
      const pings = setInterval(() => stream.write(': ping\r\n\r\n'), 10);
      await lost;
      clearInterval(pings);
      await opened;
      stream.end(toPythonEvents(['end', envelope('in time', 1)]));
    },
  });
  const { signal, ...client } = options;
  const session = await quickClient(server, client).session({ split: 'train', index: 0, signal });
  const running = session.call('slow');
  // Not every test waits for it.
  running.catch(() => {});
  await eventually(() => expect(server.on('/math/call')).toHaveLength(1));
  const heard = await rejection(session.call('add'));
  expect(heard).toBeInstanceOf(SessionTerminated);
  return { server, session, running, heard, finish: open };
}

test('a call that runs gets its result although another heard that the session is gone', async () => {
  const { server, session, running, heard, finish } = await loseSession();
  expect(await rejection(session.call('add'))).toBe(heard);
  finish();
  expect(await running).toMatchObject({ text: 'in time', reward: 1 });
  await session.close();
  // What came later was not even asked, and nothing is left to delete.
  expect(server.on('/math/call')).toHaveLength(2);
  expect(server.on('/delete')).toEqual([]);
});

test('a call of which nothing is heard any more asks again, and hears of the end itself', async () => {
  const { server, running } = await loseSession({ silenceMs: 500 });
  const error = await rejection(running);
  expect(error).toBeInstanceOf(SessionTerminated);
  expect(error.message).toBe('the session is over: Session deleted');
  expect(server.on('/math/call').at(-1)?.body).toMatchObject({ name: 'slow', task_id: SERVER_ID });
});

test('closing a session that is gone gives up the call that runs, and says nothing of its outcome', async () => {
  const { session, running, heard } = await loseSession();
  await session.close();
  expect(await rejection(running)).toMatchObject({
    message: expect.stringMatching(/^the session was closed/),
    outcome: undefined,
  });
  expect(await rejection(session.call('add'))).toBe(heard);
});

test('the signal of a session that is gone still ends the call that runs', async () => {
  const controller = new AbortController();
  const { running } = await loseSession({ signal: controller.signal });
  controller.abort(new Error('enough'));
  expect((await rejection(running)).message).toBe('enough');
});

test('a read that waits ends with the session: nobody needs its answer', async () => {
  const server = await startForeign({ 'POST /math/call': gone, 'GET /math/prompt': () => {} });
  const session = await openSession(server);
  const waiting = rejection(session.prompt());
  await eventually(() => expect(server.on('/math/prompt')).toHaveLength(1));
  const heard = await rejection(session.call('add'));
  expect(await waiting).toBe(heard);
});

test('a ping that hears of the end cuts off no call that runs', async () => {
  const { opened, open } = gate();
  const server = await startForeign({
    'POST /ping': gone,
    'POST /math/call': async ({ response }) => {
      openStream(response).write(toPythonEvents(['task_id', SERVER_ID]));
      await opened;
      response.end(toPythonEvents(['end', envelope('in time')]));
    },
  });
  const session = await openSession(server);
  const running = session.call('slow');
  await eventually(() => expect(server.on('/math/call')).toHaveLength(1));
  await session.ping();
  expect(await rejection(session.prompt())).toBeInstanceOf(SessionTerminated);
  open();
  expect(await running).toMatchObject({ text: 'in time' });
});

test('each call that runs when its session is deleted hears its own end, with its own id', async () => {
  const { counters, post, url } = await startServer({ limits: { graceMs: 10 } });
  const session = await openSession({ url });
  const running = ['slow', 'parallel'].map((name) => rejection(session.call(name, { ms: 10_000 })));
  await eventually(() => expect(counters.runs).toMatchObject({ slow: 1, parallel: 1 }));
  const deleted = post('/delete', undefined, { sid: session.sid });
  const errors = await Promise.all(running);
  for (const error of errors) {
    expect(error).toBeInstanceOf(SessionTerminated);
    expect(error).toMatchObject({ code: 'session_gone', outcome: 'cancelled', sid: session.sid });
    expect(error.message).toContain(`session '${session.sid}' was deleted`);
  }
  const ids = errors.map(({ taskId }) => taskId);
  expect(ids).toEqual([expect.stringMatching(/^call-/), expect.stringMatching(/^call-/)]);
  expect(ids[0]).not.toBe(ids[1]);
  await deleted;
});

test('a call that a stopping server lets end has its result, whatever a later call heard', async () => {
  const { server, tool } = await startGated({ limits: { drainMs: 60_000 } });
  const session = await quickClient(server)
    .environment('gated')
    .session({ task: {} } as never);
  const running = session.call('wait');
  await tool.reached;
  const closed = server.server.close();
  const refused = await rejection(session.call('wait'));
  expect(refused.outcome).toBe('cancelled');
  tool.open();
  expect(await running).toMatchObject({ text: 'waited' });
  await closed;
});

test.each([410, 404])('how a session ended (%s) does not say how a call did whose answer was lost', async (status) => {
  const over = { detail: "session 's' was deleted", code: status === 410 ? 'session_gone' : 'session_not_found' };
  const server = await startForeign({
    'POST /math/call': (exchange) =>
      exchange.seen.body.name === 'lost' && server.on('/math/call').length === 1
        ? void exchange.response.write(toPythonEvents(['task_id', SERVER_ID]), () => exchange.response.destroy())
        : json(over, status)(exchange),
  });
  const session = await quickClient(server).session({ split: 'train', index: 0 });
  const error = await rejection(session.call('lost'));
  expect(error).toBeInstanceOf(SessionTerminated);
  expect(error).toMatchObject({ status, code: over.code });
  expect(error.outcome).toBeUndefined();
  expect(server.on('/math/call')).toHaveLength(2);
  // The session is over all the same, and nothing is sent any more.
  await rejection(session.call('add'));
  expect(server.on('/math/call')).toHaveLength(2);
});

test('the same holds for a call whose answer was lost after the server had refused its id', async () => {
  const over = json({ detail: "session 's' was deleted", code: 'session_gone' }, 410);
  const server = await startForeign({
    'POST /math/call': (exchange) => {
      const { task_id: id } = exchange.seen.body;
      if (id === SERVER_ID) return over(exchange);
      if (id !== undefined) return stream(['error', 'unknown task_id'])(exchange);
      exchange.response.write(toPythonEvents(['task_id', SERVER_ID]), () => exchange.response.destroy());
    },
  });
  const error = await rejection(quickClient(server).environment('math').attach('somebody').call('lost'));
  expect(error).toBeInstanceOf(SessionTerminated);
  expect(error).toMatchObject({ status: 410, code: 'session_gone', taskId: SERVER_ID, outcome: undefined });
  expect(server.on('/math/call')).toHaveLength(3);
});

test('a call that lost its connection and came back hears how it ended itself', async () => {
  const server = await startForeign({
    'POST /math/call': ({ response, count }) => {
      if (count === 1) return response.write(toPythonEvents(['task_id', SERVER_ID]), () => response.destroy());
      const events = toPythonEvents(['task_id', SERVER_ID], ['error', "session 's' was deleted"]);
      return openStream(response).end(`: outcome cancelled\n\n${events}`);
    },
  });
  const session = await quickClient(server).session({ split: 'train', index: 0 });
  const error = await rejection(session.call('cut'));
  expect(error).toBeInstanceOf(SessionTerminated);
  expect(error).toMatchObject({ status: 410, code: 'session_gone', outcome: 'cancelled' });
  expect(server.on('/math/call')).toHaveLength(2);
});
