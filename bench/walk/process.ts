// The process that `npm run walk` follows a call through: it serves, calls itself, and sends the walk to its parent.
import { API_KEY } from '../servers/api-key.ts';
import { WalkRecorder } from './recorder.ts';
import { toWalk } from './walk.ts';

/** Which calls can be followed: with an id of the client's, or without. */
export type CallKind = `${'ors' | 'oxp'}${'' | ' with id'}`;

const kind = process.argv[2] as CallKind;
const WARM_UP_CALLS = 3;
const CALLS = 5;
// Log lines are written when the answer is out; this is when they all are.
const AFTERWARDS_MS = 50;
const INPUT = { amount: 12, note: 'a note' };

const recorder = await WalkRecorder.start((url) => /\/dist\/.*\.js$/.test(url) && !url.includes('/node_modules/'));
// Not before: what is loaded earlier is not counted.
const { serveCounter } = await import('../servers/serve-counter.ts');
const url = await serveCounter();
const headers = { 'x-api-key': API_KEY, 'x-session-id': crypto.randomUUID(), 'content-type': 'application/json' };

await post('/create', { env_name: 'counter', split: 'train', index: 0 });
for (let count = 0; count < WARM_UP_CALLS; count += 1) await call();
const coverages = [];
for (let count = 0; count < CALLS; count += 1) coverages.push(await recorder.coverageOf(call));
const order = await recorder.orderOf(coverages[0] ?? [], call);
process.send?.(toWalk(coverages, order), () => process.exit());

async function call(): Promise<void> {
  const id = kind.endsWith('with id') ? `call-${crypto.randomUUID()}` : undefined;
  if (kind.startsWith('ors')) await post('/counter/call', { name: 'add', input: INPUT, task_id: id });
  else await post('/tools/call', { request: { tool_id: 'Counter.Add', input: INPUT, call_id: id } });
  await new Promise((resolve) => setTimeout(resolve, AFTERWARDS_MS));
}

async function post(path: string, body: object): Promise<void> {
  const response = await fetch(new URL(path, url), { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${path} was answered with ${response.status}: ${text}`);
}
