import { expect, test } from 'vitest';
import { openSession, QUICK } from '../support/client.ts';
import { envelope, json, type Route, SERVER_ID, startForeign, stream } from '../support/foreign.ts';

// More often than any other failure would be forgiven.
const ANSWERS = QUICK.attempts + 4;

/** Answers as the server of openreward does while setup runs, and then as it does afterwards. */
function afterSetup(route: Route): Route {
  return (exchange) => {
    if (exchange.count > ANSWERS) return route(exchange);
    const headers = { 'content-type': 'application/json', 'retry-after': '2', 'x-backend-state': 'starting' };
    return exchange.response.writeHead(503, headers).end('{"detail":"Environment still starting."}');
  };
}

test('K5, K19: a call waits for a server that says that setup is still running, and runs once', async () => {
  const call = stream(['task_id', SERVER_ID], ['end', envelope('done')]);
  const session = await openSession(await startForeign({ 'POST /math/call': afterSetup(call) }));
  expect((await session.call('add')).text).toBe('done');
});

test('K19: the prompt waits for a server that says that setup is still running', async () => {
  const prompt = json([{ text: 'Add.', detail: null, type: 'text' }]);
  const session = await openSession(await startForeign({ 'GET /math/prompt': afterSetup(prompt) }));
  expect(await session.prompt()).toMatchObject([{ text: 'Add.' }]);
});

test('K19: setup is waited for once: later calls on a server that chooses the ids ask for nothing before', async () => {
  const server = await startForeign();
  const session = await openSession(server);
  await session.call('add');
  await session.call('add');
  expect(server.on('/math/call')).toHaveLength(2);
  expect(server.on('/math/task_tools')).toHaveLength(1);
});

test('K5: any other 503 to a call says nothing about what ran', async () => {
  const session = await openSession(await startForeign({ 'POST /math/call': json({ detail: 'no backend' }, 503) }));
  await expect(session.call('add')).rejects.toMatchObject({ name: 'OutcomeUnknown' });
});
