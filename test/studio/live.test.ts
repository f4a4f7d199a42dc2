import { expect, test } from 'vitest';
import type { LiveSession, StreamEvent } from '../../src/studio/api.ts';
import { withKey } from '../server/credentials.ts';
import { startServer, type TestServer } from '../support/http.ts';
import { openStudio, type TestStudio } from './studio-client.ts';

async function watching(options = { events: true }): Promise<{ server: TestServer; studio: TestStudio }> {
  const server = await startServer(options);
  const { url } = server;
  const studio = await openStudio({ targets: [{ name: url, url, apiKey: '', isModule: false }] });
  await studio.ask('POST /api/targets/:target/look', { target: 't1' });
  return { server, studio };
}

/** The sessions in an event, whichever it is. */
function sessionsIn(event: StreamEvent): readonly LiveSession[] {
  if (event.type === 'live') return event.live.sessions;
  return event.type === 'live_changes' ? event.sessions : [];
}

test('U4: sessions of others come with their steps, rewards and ends', async () => {
  const { server, studio } = await watching();
  const before = await server.create();
  const stream = await studio.stream('live/t1');
  const sees = (fits: (session: LiveSession) => boolean) => stream.next((event) => sessionsIn(event).some(fits));
  await sees(({ sid }) => sid === before);
  const sid = await server.create({ split: 'train', index: 2 });
  await sees((session) => session.sid === sid && session.index === 2 && session.environment === 'math');
  await server.call(sid, 'details');
  await sees((session) => session.sid === sid && session.lastTool === 'details' && session.reward === 0.5);
  await server.call(sid, 'submit', { answer: '4' });
  // Nobody has deleted its session, but nobody is waited for either.
  await sees((session) => session.sid === sid && session.state === 'open' && session.finished);
  await server.post('/delete', undefined, { sid });
  await sees((session) => session.sid === sid && session.state === 'ended' && session.outcome === 'finished');
  const { status, sessions } = await studio.ask('GET /api/targets/:target/live', { target: 't1' });
  expect([status, sessions.map((each) => each.sid)]).toEqual(['on', [before, sid]]);
});

test('U4: a session is followed with what it sends and gets', async () => {
  const { server, studio } = await watching();
  const overview = await studio.stream('live/t1');
  const sid = await server.create();
  await server.call(sid, 'noargs');
  await overview.next((event) => sessionsIn(event).some(({ calls, running }) => calls === 1 && running === 0));
  const stream = await studio.stream(`follow/t1/${sid}`);
  // What ended before has no contents.
  const first = await stream.next((event) => event.type === 'follow');
  expect(first).toMatchObject({ follow: { session: { sid }, steps: [{ tool: 'noargs', outcome: 'returned' }] } });
  await stream.next((event) => event.type === 'follow_changes');
  await server.call(sid, 'echo', { value: 'hello' });
  const told = await stream.next(
    (event) => event.type === 'follow_changes' && event.steps.some(({ outcome }) => outcome === 'returned'),
  );
  expect(told).toMatchObject({
    steps: [{ tool: 'echo', input: { value: 'hello' }, blocks: [{ text: 'hello' }], outcome: 'returned' }],
  });
  await server.call(sid, 'boom', { message: 'it broke' });
  const broken = await stream.next(
    (event) => event.type === 'follow_changes' && event.steps.some(({ error }) => error !== undefined),
  );
  expect(broken).toMatchObject({ steps: [{ outcome: 'env_error', error: expect.stringContaining('it broke') }] });
});

test('U4: the key of the server is in nothing that the page gets', async () => {
  const KEY = 'key-of-the-server-1234';
  const server = await startServer({ events: true, auth: { apiKeys: [KEY] } });
  const { url } = server;
  const studio = await openStudio({ targets: [{ name: url, url, apiKey: KEY, isModule: false }] });
  await studio.ask('POST /api/targets/:target/look', { target: 't1' });
  const overview = await studio.stream('live/t1');
  const as = { headers: withKey(KEY) };
  const sid = crypto.randomUUID();
  await server.post('/create', { split: 'train', index: 2 }, { sid, ...as });
  const stream = await studio.stream(`follow/t1/${sid}`);
  await stream.next((event) => event.type === 'follow_changes');
  await server.call(sid, 'echo', { value: { [KEY]: `with ${KEY}` } }, as);
  await server.call(sid, 'boom', { message: `not ${KEY}` }, as);
  await stream.next((event) => event.type === 'follow_changes' && event.steps.some(({ error }) => error !== undefined));
  await overview.next((event) => sessionsIn(event).some(({ lastTool }) => lastTool === 'boom'));
  const all = JSON.stringify([stream.seen, overview.seen]);
  expect(all).toContain('with [secret]');
  expect(all).toContain('not [secret]');
  expect(all).not.toContain(KEY);
});

test('U4: hundreds of sessions come together, a few times a second', async () => {
  const { server, studio } = await watching();
  const stream = await studio.stream('live/t1');
  await stream.next();
  const sids = await Promise.all(Array.from({ length: 200 }, () => server.create()));
  await Promise.all(sids.map((sid) => server.call(sid, 'details')));
  const latest = new Map<string, LiveSession>();
  await stream.next((event) => {
    for (const session of sessionsIn(event)) latest.set(session.sid, session);
    return sids.every((sid) => latest.get(sid)?.reward === 0.5);
  });
  // 800 events of the server, in far fewer messages to the page.
  expect(stream.seen.length).toBeLessThan(100);
});

test('U4: a server that does not tell, and an unknown one, say so', async () => {
  const { studio } = await watching({ events: false });
  const stream = await studio.stream('live/t1', 'live/t7', 'nothing', 'play/p9');
  await stream.next((event) => event.type === 'live' && event.live.status === 'off');
  const gone = stream.seen.filter(({ type }) => type === 'gone').map(({ topic }) => topic);
  expect(gone.sort()).toEqual(['live/t7', 'nothing', 'play/p9']);
});

test('a topic named like a method of all objects is unknown, and takes no other topic along', async () => {
  const studio = await openStudio();
  const odd = [
    'constructor',
    '__proto__',
    'toString',
    'hasOwnProperty',
    'valueOf/x',
    '',
    '/',
    'follow',
    'live/__proto__',
  ];
  const stream = await studio.stream(...odd, 'targets');
  await stream.next(({ topic }) => topic === 'targets');
  const gone = stream.seen.filter(({ type }) => type === 'gone').map(({ topic }) => topic);
  expect(gone.sort()).toEqual(odd.sort());
});
