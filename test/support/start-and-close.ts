// Run by a test: a server in a process of its own that is used, closed, and must then leave nothing behind.
import { environment } from '../../src/index.ts';
import { createServer } from '../../src/server/index.ts';

const stubborn = environment({
  name: 'stubborn',
  splits: { train: [{}] },
  setup: ({ task }: { task: { hang?: boolean } }) => (task.hang ? new Promise<void>(() => {}) : undefined),
  prompt: () => 'Wait.',
  tools: {
    // Neither ends in time, nor when it is aborted.
    hang: { timeoutMs: 600_000, run: () => new Promise<string>(() => {}) },
    look: { run: () => 'seen' },
  },
  teardown: () => new Promise(() => {}),
});

const server = await createServer({
  environments: [stubborn],
  logger: false,
  limits: { drainMs: 20, graceMs: 20, teardownMs: 20 },
});
const url = await server.listen();

function post(path: string, sid: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'x-session-id': sid, connection: 'close' };
  return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
}

// One session that plays, one with a call that hangs, and one whose setup hangs and has a call waiting for it.
await post('/create', 'a', { task_spec: {} });
await (await post('/stubborn/call', 'a', { name: 'look', input: {} })).text();
await post('/create', 'b', { task_spec: {} });
const hanging = await post('/stubborn/call', 'b', { name: 'hang', input: {} });
await post('/create', 'c', { task_spec: { hang: true } });
const waiting = post('/stubborn/call', 'c', { name: 'look', input: {} });
await post('/ping', 'c', {});

await server.close();
await Promise.all([hanging.text(), waiting.then((response) => response.text())]);
console.log('closed');
