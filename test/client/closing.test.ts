import { getEventListeners } from 'node:events';
import { SessionTerminated } from 'tiltyard/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { eventually, openSession, quickClient, rejection } from '../support/client.ts';
import { json, SID, startForeign } from '../support/foreign.ts';
import { gated } from '../support/gates.ts';
import { startServer } from '../support/http.ts';
import { linesOf, logLines } from '../support/log-lines.ts';

const FIRST = { split: 'train', index: 0 };

test('K8: close stops the pings, then deletes the episode and then the session', async () => {
  const server = await startForeign();
  const sent: string[] = [];
  const session = await openSession(server, {
    pingMs: 5,
    fetch(url, init) {
      sent.push(url.slice(server.url.length));
      return fetch(url, init);
    },
  });
  await eventually(() => expect(server.on('/ping').length).toBeGreaterThan(1));
  await session.close();
  const sids = [...server.on('/delete'), ...server.on('/delete_session')].map(({ headers }) => headers['x-session-id']);
  expect(sids).toEqual([SID, SID]);
  // Long enough for ten more pings.
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(sent.slice(sent.indexOf('/delete'))).toEqual(['/delete', '/delete_session']);
});

test('K8: `await using` closes, also when the block throws, and the teardown has run by then', async () => {
  const server = await startServer();
  const play = async () => {
    await using session = await quickClient(server).session(FIRST);
    await session.prompt();
    throw new Error('the agent broke');
  };
  await expect(play()).rejects.toThrow('the agent broke');
  expect(server.counters).toMatchObject({ setups: 1, teardowns: 1 });
});

test.each([404, 405, 410])('K8: a session that is already gone (%i) is what closing wanted', async (status) => {
  const server = await startForeign({
    'POST /delete': json({ detail: 'gone' }, status),
    'POST /delete_session': json({ detail: 'gone' }, status),
  });
  const session = await quickClient(server).session(FIRST);
  await session.close();
  expect(server.on('/delete')).toHaveLength(1);
  expect(server.on('/delete_session')).toHaveLength(1);
});

test('K8: closing twice deletes once', async () => {
  const server = await startServer();
  const session = await quickClient(server).session(FIRST);
  await Promise.all([session.close(), session.close()]);
  await session.close();
  expect(server.counters.teardowns).toBe(1);
});

test('K8: what runs when a session is closed ends with SessionTerminated, and so does what comes later', async () => {
  const server = await startServer();
  const session = await quickClient(server).session(FIRST);
  const running = rejection(session.call('slow', { ms: 10_000 }));
  await eventually(() => expect(server.counters.runs.slow).toBe(1));
  await session.close();
  for (const error of [await running, await rejection(session.prompt()), await rejection(session.call('noargs'))]) {
    expect(error).toBeInstanceOf(SessionTerminated);
    expect(error).toMatchObject({
      message: expect.stringMatching(/^the session was closed/),
      sid: session.sid,
      outcome: undefined,
    });
  }
  expect(server.counters.trace.filter((event) => event === 'slow:end')).toHaveLength(1);
});

test('K8: closing does not say how a call ended that ends before the server hears of it', async () => {
  const lines = logLines();
  const { environments, tool } = gated();
  const server = await startServer({ environments, logger: lines.logger });
  const ended = () => linesOf(lines, 'call').map(({ outcome }) => outcome);
  const client = quickClient(server, {
    environment: 'gated',
    async fetch(url, init) {
      if (url.endsWith('/delete')) {
        tool.open();
        await eventually(() => expect(ended()).toHaveLength(1));
      }
      return fetch(url, init);
    },
  });
  const session = await client.session(FIRST);
  const running = rejection(session.call('wait'));
  await tool.reached;
  await session.close();
  expect(ended()).toEqual(['returned']);
  expect(await running).toMatchObject({ name: 'SessionTerminated', outcome: undefined });
});

test('K8: an episode that cannot be deleted is told', async () => {
  const server = await startForeign({ 'POST /delete': json({ detail: 'teardown failed' }, 500) });
  const session = await quickClient(server).session(FIRST);
  expect(await rejection(session.close())).toMatchObject({ status: 500, detail: 'teardown failed', sid: SID });
});

test('a session whose signal has fired is still deleted when it is closed, and no longer pinged', async () => {
  const server = await startServer();
  const controller = new AbortController();
  const session = await quickClient(server, { pingMs: 5 }).session({ ...FIRST, signal: controller.signal });
  const running = rejection(session.call('slow', { ms: 10_000 }));
  await eventually(() => expect(server.counters.runs.slow).toBe(1));
  controller.abort(new Error('enough'));
  expect((await running).message).toBe('enough');
  expect((await rejection(session.prompt())).message).toBe('enough');
  await session.close();
  expect(server.counters.teardowns).toBe(1);
});

test('a signal that outlives its sessions does not hold them', async () => {
  const server = await startForeign();
  const { signal } = new AbortController();
  const left = () => getEventListeners(signal, 'abort').length;
  const client = quickClient(server);
  for (let count = 0; count < 3; count += 1) {
    await using session = await client.session({ ...FIRST, signal });
    await session.prompt({ signal });
    await session.call('add', {}, { signal });
    expect(left()).toBe(1);
  }
  expect(left()).toBe(0);
});

test('a session with many calls at a time is not taken for a leak', async () => {
  const server = await startServer();
  const warned = vi.fn();
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  const { signal } = new AbortController();
  await using session = await quickClient(server).session({ ...FIRST, signal });
  await Promise.all(Array.from({ length: 15 }, () => session.call('slow', { ms: 20 }, { signal })));
  // Warnings are told in a later turn.
  await new Promise(setImmediate);
  expect(warned).not.toHaveBeenCalled();
});

test('an opening that is given up leaves no episode behind', async () => {
  const server = await startServer();
  const slowCreate = await startForeign({
    'POST /create': async ({ seen, response }) => {
      // The episode begins, and the answer never comes.
      await server.post('/create', seen.body, { sid: SID });
      response.once('close', () => {});
    },
    'POST /delete': async ({ seen, response }) => {
      const { status, json: body } = await server.post('/delete', seen.body, { sid: SID });
      json(body, status)({ seen, response, count: 1 });
    },
  });
  const error = await rejection(quickClient(slowCreate).session({ ...FIRST, timeoutMs: 1_500 }));
  expect(error).toMatchObject({ name: 'TimedOut', message: 'beginning a session took longer than 1500 ms' });
  await eventually(() => expect(server.counters).toMatchObject({ setups: 1, teardowns: 1 }));
});
