import { SetupError } from 'tiltyard';
import { AuthError, HttpError } from 'tiltyard/client';
import { expect, test } from 'vitest';
import { openSession, quickClient, rejection } from '../support/client.ts';
import { json, startForeign } from '../support/foreign.ts';
import { startServer } from '../support/http.ts';
import { linesOf, logLines } from '../support/log-lines.ts';
import { minimal } from '../support/minimal.ts';

/** A server whose setups fail as the test says, and what it does. */
async function startFailing(status: number, words: string) {
  const lines = logLines();
  const seen: string[] = [];
  const setup = () => {
    throw new SetupError(words, { status });
  };
  const { url, server } = await startServer({ environments: [minimal({ setup })], logger: lines.logger });
  server.app.server.on('request', ({ url: path }) => seen.push(path ?? ''));
  return { url, seen, ended: () => linesOf(lines, 'session ended').length };
}

/** Whatever else an answer with this status and these words would mean. */
const CHOSEN: [status: number, words: string, otherwise: string][] = [
  [429, 'later', 'a server that is busy'],
  [400, "'look' is not a valid tool", 'a tool that does not exist'],
  [400, 'Tool input validation error: no such file', 'a refused input'],
  [401, 'the licence is missing', 'a wrong API key'],
  [404, 'upstream session not found', 'a session that is gone'],
  [404, 'Not Found', 'a route that is missing'],
  [410, 'the data set was taken down', 'a session that is gone'],
];

test.each(CHOSEN)('a setup that failed with %i and “%s” is not taken for %s', async (status, words) => {
  const server = await startFailing(status, words);
  const session = await quickClient(server, { environment: 'minimal' }).session({ split: 'train', index: 0 });
  for (const asked of [() => session.call('look'), () => session.tools(), () => session.prompt()]) {
    const error = await rejection(asked());
    expect(error).toBeInstanceOf(HttpError);
    expect(error).not.toBeInstanceOf(AuthError);
    expect(error).toMatchObject({ status, code: 'setup_failed', detail: words, outcome: 'env_error' });
  }
  // Each was asked once, and the session is there to be deleted.
  await session.close();
  expect(server.seen.filter((path) => path.startsWith('/minimal/'))).toEqual([
    '/minimal/call',
    '/minimal/task_tools',
    '/minimal/prompt',
  ]);
  expect(server.seen).toContain('/delete');
  expect(server.ended()).toBe(1);
});

test('a setup that fails is HttpError, or ToolFailed once the call was announced, and env_error in both cases', async () => {
  const { url } = await startServer({ announceAfterMs: 10 });
  const session = await quickClient({ url }).session({ task: { setup_ms: 300, setup_fail: 'no disk' } } as never);
  const detail = 'Error: no disk';
  // The call waits for the setup, and hears of its end in the stream; whoever comes later hears it by status.
  const [waiting, reading] = await Promise.all([rejection(session.call('noargs')), rejection(session.prompt())]);
  expect(waiting).toMatchObject({ name: 'ToolFailed', message: detail, code: undefined, outcome: 'env_error' });
  for (const error of [reading, await rejection(session.call('noargs'))])
    expect(error).toMatchObject({ name: 'HttpError', detail, code: 'setup_failed', outcome: 'env_error' });
  await session.close();
});

test('a task that is refused in the words of a session that exists is told as what it is', async () => {
  const refused = json({ detail: 'the user already exists', code: 'invalid_task' }, 400);
  const server = await startForeign({
    'POST /create': (exchange) => (exchange.count === 1 ? exchange.response.destroy() : refused(exchange)),
  });
  const error = await rejection(quickClient(server).session({ split: 'train', index: 0 }));
  expect(error).toMatchObject({ name: 'HttpError', status: 400, code: 'invalid_task' });
});

test.each([
  ['is not a valid tool', 404],
  ['Tool input validation error', 400],
])('a foreign server without codes is still understood by its words: %s', async (words, status) => {
  const server = await startForeign({ 'POST /math/call': json({ detail: `'add' ${words}` }, status) });
  const error = await rejection((await openSession(server)).call('add'));
  expect(error).toMatchObject({ name: 'ToolCallError', status, outcome: 'tool_error' });
});
