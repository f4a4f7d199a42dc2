import dns from 'node:dns';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createServer } from 'tiltyard/server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { client } from '../support/http.ts';
import { linesOf, logLines } from '../support/log-lines.ts';
import { minimal } from '../support/minimal.ts';
import { exchange } from '../support/raw.ts';

// Of the machine's own, as ::1 is on one that has both stacks.
const SECOND = '127.0.0.2';

/** A server on a name with two addresses. */
async function listenOnBoth() {
  const lookup = dns.lookup as (name: string, options: object, found: (...result: unknown[]) => void) => void;
  const both = ['127.0.0.1', SECOND].map((address) => ({ address, family: 4 }));
  const spy = vi.spyOn(dns, 'lookup').mockImplementation(((name: string, options: { all?: boolean }, found: never) => {
    if (name === 'localhost' && options.all === true) (found as (...result: unknown[]) => void)(null, both);
    else lookup(name, options, found);
  }) as never);
  const lines = logLines();
  const server = await createServer({ environments: [minimal()], logger: lines.logger });
  onTestFinished(() => server.close());
  const first = await server.listen({ host: 'localhost' });
  spy.mockRestore();
  const { port } = new URL(first);
  return { server, lines, urls: [first, `http://${SECOND}:${port}`] };
}

test('a name with two addresses is served alike on both', async () => {
  const { urls, lines } = await listenOnBoth();
  const answers = [];
  for (const url of urls) {
    const { post } = client(url);
    const { sid } = (await post('/create_session')).json;
    await post('/create', { split: 'train', index: 0 }, { sid });
    const call = await post('/minimal/call', { name: 'look', input: {} }, { sid });
    const broken = await exchange({ url }, 'NONSENSE\r\n\r\n');
    const expected = await exchange({ url }, 'GET /health HTTP/1.1\r\nHost: localhost\r\nExpect: nonsense\r\n\r\n');
    answers.push([call.status, call.text.replace(/[0-9a-f]{32}/, 'ID'), broken.status, broken.text, expected.status]);
  }
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[0]).toEqual([200, expect.stringContaining('event: end'), 400, expect.any(String), 417]);
  // Each request has its line, on whichever server it came.
  const requests = linesOf(lines, 'request');
  expect(requests.filter(({ url }) => url === '/minimal/call')).toHaveLength(2);
  expect(requests.filter(({ status }) => status === 400)).toHaveLength(2);
});

test('both stop together, idle connections included', async () => {
  const { server, urls } = await listenOnBoth();
  const closed = urls.map((url) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    return new Promise((resolve, reject) => {
      socket.once('connect', () => socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'));
      // Answered, it waits for the next request.
      socket.once('data', () => resolve({ gone: once(socket, 'close') }));
      socket.once('error', reject);
    });
  });
  const idle = (await Promise.all(closed)) as { gone: Promise<unknown> }[];
  await server.close();
  await Promise.all(idle.map(({ gone }) => gone));
  for (const url of urls) await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed');
});
