import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import type { StreamEvent } from '../../src/studio/api.ts';
import { startHostile } from '../support/hostile.ts';
import { openStudio, type TestStudio } from './studio-client.ts';

const MB = 2 ** 20;

/** A server that says it is one of ours, and then tells what it likes. */
async function watching(tell: (response: ServerResponse) => void): Promise<TestStudio> {
  const { url } = await startHostile(({ request, response }) => {
    response.setHeader('x-tiltyard-instance', 'hostile');
    if (!request.url?.startsWith('/events')) response.writeHead(200).end('[]');
    // The studio only asks whether it tells anything.
    else if (request.url === '/events?session=-') response.writeHead(200).write(': ping\n\n');
    else tell(response.writeHead(200, { 'content-type': 'text/event-stream' }));
  });
  const studio = await openStudio({ targets: [{ name: url, url, apiKey: '', isModule: false }] });
  await studio.ask('POST /api/targets/:target/look', { target: 't1' });
  return studio;
}

/** Writes pieces for as long as they are read, at most `most` characters of them; resolves when nobody reads any more. */
function pour(response: ServerResponse, piece: string, most: number): Promise<number> {
  let poured = 0;
  return new Promise((resolve) => {
    response.once('close', () => resolve(poured));
    const write = () => {
      while (!response.destroyed && poured < most) {
        poured += piece.length;
        if (!response.write(piece)) return void response.once('drain', write);
      }
    };
    write();
  });
}

function session(sid: string, more: object = {}): object {
  return {
    ...{ sid, environment: 'math', identity: '', split: null, index: null, started_at: 1, state: 'open', calls: 0 },
    ...{ running: 0, last_tool: null, last_at: 1, reward: null, outcome: null, ...more },
  };
}

function encode(event: object): string {
  return `data: ${JSON.stringify({ at: 1, ...event })}\n\n`;
}

const isLost = (event: StreamEvent) => event.type === 'live' && event.live.status === 'lost';

test.each([
  ['a line without end', 'x'.repeat(64 * 1024)],
  ['an event of endless lines', 'data:\n'.repeat(10_000)],
  ['comments within an event', 'data: x\n: ping\n'.repeat(5_000)],
])('U4: %s is not held in memory, and the page is told why nothing comes', async (_, piece) => {
  let poured: Promise<number> | undefined;
  const studio = await watching((response) => {
    poured ??= pour(response, piece, 600 * MB);
  });
  const stream = await studio.stream('live/t1', 'follow/t1/a');
  expect(await stream.next(isLost)).toMatchObject({
    live: { problem: { kind: 'server', message: expect.stringContaining('16 MB'), advice: expect.any(String) } },
  });
  expect(await poured).toBeLessThan(64 * MB);
});

test.each([
  ['is not JSON', 'data: {\n\n'],
  ['is of another form', encode({ type: 'session', session: { sid: { a: 1 } } })],
  ['is a list of nothing', encode({ type: 'sessions', sessions: 5 })],
  ['has more values than can be held', `data: [${'{},'.repeat(4 * MB)}{}]\n\n`],
])('U4: an event that %s ends the connection, and the page is told so', async (_, event) => {
  const studio = await watching((response) => response.write(event));
  const stream = await studio.stream('live/t1');
  expect(await stream.next(isLost)).toMatchObject({
    live: { problem: { kind: 'server', message: expect.stringContaining('event') } },
  });
});

test('U4: of sessions without end the newest are kept, with no more of each than a person reads', async () => {
  const studio = await watching((response) => {
    response.write(encode({ type: 'sessions', sessions: [] }));
    for (let n = 0; n < 25_000; n += 1)
      response.write(encode({ type: 'session', session: session(`s${n}`, { more: 'x'.repeat(100) }) }));
    const long = session('last', { environment: 'x'.repeat(MB) });
    response.write(encode({ type: 'session', session: long }));
  });
  const stream = await studio.stream('live/t1');
  await stream.next((event) => event.type === 'live_changes' && event.sessions.some(({ sid }) => sid === 'last'));
  const { sessions, status, problem } = await studio.ask('GET /api/targets/:target/live', { target: 't1' });
  expect([status, sessions.length, sessions.at(-2)?.sid]).toEqual(['on', 20_000, 's24999']);
  expect(sessions.at(-1)?.environment.length).toBeLessThan(1_000);
  expect(sessions[0]).not.toHaveProperty('more');
  expect(problem).toMatchObject({ message: expect.stringContaining('20000') });
  expect(stream.seen.some((event) => event.type === 'live' && event.live.problem?.code === problem?.code)).toBe(true);
});
