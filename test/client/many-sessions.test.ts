import type { Client, Session } from 'tiltyard/client';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, quickClient } from '../support/client.ts';
import { startForeign } from '../support/foreign.ts';
import { startServer } from '../support/http.ts';

const SESSIONS = 100;

async function openAll(client: Client): Promise<Session[]> {
  return Promise.all(Array.from({ length: SESSIONS }, () => client.session({ split: 'train', index: 0 })));
}

/** Everything that nobody caught while the test ran. Vitest fails on these, too, but may blame another test. */
function watchRejections(): unknown[] {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  return unhandled;
}

test('a hundred sessions are pinged, played and closed side by side, and nothing is left', {
  timeout: 60_000,
}, async () => {
  const unhandled = watchRejections();
  const server = await startServer();
  const pings = new Map<string, number>();
  const client = quickClient(server, {
    pingMs: 400,
    fetch(url, init) {
      const sid = new Headers(init.headers).get('x-session-id') ?? '';
      if (url.endsWith('/ping')) pings.set(sid, (pings.get(sid) ?? 0) + 1);
      return fetch(url, init);
    },
  });
  const sessions = await openAll(client);
  const results = await Promise.all(sessions.map((session, index) => session.call('note', { text: `${index}` })));
  expect(results.map(({ text }) => text)).toEqual(sessions.map((_, index) => `${index}`));
  await eventually(() => expect(sessions.every(({ sid }) => (pings.get(sid) ?? 0) >= 2)).toBe(true));
  await Promise.all(sessions.map((session) => session.close()));
  expect(server.counters).toMatchObject({ setups: SESSIONS, teardowns: SESSIONS });
  const after = [...pings.values()].reduce((sum, count) => sum + count, 0);
  await new Promise((resolve) => setTimeout(resolve, 450));
  expect([...pings.values()].reduce((sum, count) => sum + count, 0)).toBe(after);
  expect(unhandled).toEqual([]);
});

test('a hundred sessions whose server dies end with errors that were asked for, and no others', async () => {
  const unhandled = watchRejections();
  let isDead = false;
  const server = await startForeign({
    'POST /math/call': ({ response }) => void response.once('close', () => {}),
  });
  const client = quickClient(server, {
    pingMs: 100,
    async fetch(url, init) {
      if (isDead) throw new TypeError('fetch failed');
      // Not of interest while the server lives, and a thousand a second.
      return url.endsWith('/ping') ? new Response('{}') : fetch(url, init);
    },
  });
  const sessions = await openAll(client);
  const calls = Promise.allSettled(sessions.map((session) => session.call('add')));
  await eventually(() => expect(server.on('/math/call').length).toBe(SESSIONS));
  isDead = true;
  const outcomes = await calls;
  for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { name: 'SessionTerminated' } });
  await Promise.all(sessions.map((session) => session.close()));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(unhandled).toEqual([]);
});
