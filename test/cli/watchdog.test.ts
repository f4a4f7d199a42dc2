import { expect, test } from 'vitest';
import { folderWith, type Run, run, untilPrinted } from '../support/command.ts';

const BLOCKING = `
import { execSync } from 'node:child_process';
import { environment, tool, toolkit } from 'tiltyard';
import { z } from 'zod';
function spin(ms: number): void { const end = Date.now() + ms; while (Date.now() < end); }
const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
export const blocking = environment({
  name: 'blocking',
  splits: { train: [{}], slow: { count: 1, get() { spin(900); return {}; } } },
  setup({ task, secrets }) { if (secrets.SETUP) spin(900); },
  prompt() { spin(900); return ''; },
  tools: {
    spin: { run() { spin(900); return 'spun'; } },
    sleep: { run() { execSync('sleep 0.9'); return 'slept'; } },
    later: { async run() { await pause(); spin(900); return 'spun'; } },
    check: { input: z.object({ text: z.string().refine(() => { spin(900); return true; }) }), run: () => 'checked' },
    exit: { run() { process.exit(7); } },
    loop: { run() { for (;;); } },
    wait: { run: ({}, { signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)) },
    quick: { run: () => 'quick' },
  },
  teardown({ task }) { spin(900); },
});
export const kit = toolkit({ name: 'Blocking', tools: { Spin: tool({ description: 'Spins.', run() { spin(900); return 1; } }) } });
`;

interface Served extends Run {
  readonly url: string;
  post(path: string, body: object): Promise<Response>;
  call(name: string, input?: object): Promise<Response>;
  /** The lines of the log with this text. */
  lines(text: RegExp): Record<string, unknown>[];
}

async function serve(...args: string[]): Promise<Served> {
  const folder = await folderWith({ 'blocking.ts': BLOCKING });
  const module = `${folder}/blocking.ts`;
  const server = run(['serve', module, '--port', '0', '--json', '--limit', 'maxBlockMs=300', ...args]);
  const [line] = await untilPrinted(server, /^\{.*"url".*\}$/m);
  const { url } = JSON.parse(line);
  const post = (path: string, body: object) =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-session-id': 'a' },
      body: JSON.stringify(body),
    });
  const call = (name: string, input = {}) => post('/blocking/call', { name, input, task_id: `id-of-${name}` });
  const lines = (text: RegExp) =>
    server
      .output()
      .split('\n')
      .filter((each) => each.startsWith('{"level"') && text.test(each))
      .map((each) => JSON.parse(each));
  return { ...server, url, post, call, lines };
}

/** Where the author wrote it: what is compiled has other lines. */
function lineOf(text: string): number {
  return BLOCKING.split(text)[0]?.split('\n').length ?? 0;
}

/** Waits for a line of the log, until all of it has come. */
function untilLine(server: Run, text: RegExp): Promise<RegExpExecArray> {
  return untilPrinted(server, new RegExp(`${text.source}[^\\n]*\\n`));
}

const HAS = /the process has been blocked for [^"]* by/;

test('a tool that blocks is named while it blocks, with its session and call, and where it is', async () => {
  const server = await serve();
  await server.post('/create', { split: 'train', index: 0 });
  const answer = server.call('loop');
  answer.catch(() => {});
  await untilLine(server, HAS);
  const [line] = server.lines(HAS);
  expect(line).toMatchObject({
    level: 40,
    environment: 'blocking',
    tool: 'loop',
    part: 'tool',
    sid: 'a',
    taskId: 'id-of-loop',
  });
  expect(line?.msg).toMatch(/blocked for \d+\.\d s by tool 'loop' of environment 'blocking'/);
  await untilLine(server, /where the process is blocked/);
  expect(JSON.stringify(server.lines(/where the process is blocked/)[0]?.error)).toMatch(
    new RegExp(`at run \\(file:.*blocking\\.ts:${lineOf('loop:')}:`),
  );
  server.child.kill('SIGKILL');
});

test.each([
  ['a tool', (server: Served) => server.call('spin'), { part: 'tool', tool: 'spin' }, 'by tool'],
  [
    'a tool that waits for a command',
    (server: Served) => server.call('sleep'),
    { part: 'tool', tool: 'sleep' },
    'by tool',
  ],
  [
    'a tool after an await',
    (server: Served) => server.call('later'),
    { part: 'tool', tool: 'later' },
    'most likely by tool',
  ],
  [
    'the check of an input',
    (server: Served) => server.call('check', { text: '' }),
    { part: 'input', tool: 'check' },
    'by the check of the input of tool',
  ],
  [
    'a prompt',
    (server: Served) => fetch(`${server.url}/blocking/prompt`, { headers: { 'x-session-id': 'a' } }),
    { part: 'prompt' },
    'by prompt of environment',
  ],
  ['a teardown', (server: Served) => server.post('/delete', {}), { part: 'teardown' }, 'by teardown of environment'],
])('%s that blocks is told of while it does and afterwards, and counted', async (_what, act, who, by) => {
  const server = await serve();
  await server.post('/create', { split: 'train', index: 0 });
  expect((await act(server)).status).toBe(200);
  await untilLine(server, new RegExp(`was blocked for [^"]*${by}`));
  // A busy machine may stop the process at other times as well.
  for (const text of [`has been blocked for [^"]*${by}`, `was blocked for [^"]*${by}`])
    expect(server.lines(new RegExp(text))).toMatchObject([{ environment: 'blocking', sid: 'a', ...who }]);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  const labels = `{environment="blocking",part="${who.part}",tool="${'tool' in who ? who.tool : ''}"}`;
  expect(metrics).toContain(`\ntiltyard_blocked_total${labels} 1\n`);
  const [, seconds] = metrics.split(`\ntiltyard_blocked_seconds_total${labels} `);
  expect(Number.parseFloat(seconds ?? '')).toBeGreaterThan(0.5);
  server.child.kill('SIGKILL');
});

test('setup, the reading of tasks and tools of toolkits are named, too', async () => {
  const server = await serve();
  await server.post('/create', { split: 'train', index: 0, secrets: { SETUP: 'true' } });
  await server.call('quick');
  await fetch(`${server.url}/blocking/task`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ split: 'slow', index: 0 }),
  });
  const request = { call_id: 'c', tool_id: 'Blocking.Spin', input: {} };
  await server.post('/tools/call', { request });
  await untilLine(server, /was blocked[^\n]*Blocking\.Spin/);
  const told = server.lines(HAS).map(({ part, sid, callId, tool }) => ({ part, sid, callId, tool }));
  expect(told).toContainEqual({ part: 'tasks' });
  expect(told).toContainEqual({ part: 'setup', sid: 'a' });
  expect(told).toContainEqual({ part: 'tool', callId: 'c', tool: 'Blocking.Spin@1.0.0' });
  server.child.kill('SIGKILL');
});

test('a process that ends tells what ran: also if a tool ended it', async () => {
  const server = await serve();
  await server.post('/create', { split: 'train', index: 0 });
  server.call('exit').catch(() => {});
  expect(await server.exit).toBe(7);
  const [line] = server.lines(/the process exits/);
  expect(line).toMatchObject({ level: 50, tool: 'exit', sid: 'a', taskId: 'id-of-exit', exitCode: 7 });
  expect(line?.msg).toBe("the process exits with code 7 in tool 'exit' of environment 'blocking'");
  expect(JSON.stringify(line?.error)).toMatch(/blocking\.ts:\d+/);
});

test('a server that is told twice to stop tells which calls it leaves', async () => {
  const server = await serve();
  await server.post('/create', { split: 'train', index: 0 });
  server.call('wait').catch(() => {});
  await server.call('quick');
  server.child.kill('SIGTERM');
  await untilLine(server, /Press again/);
  // Until it counts as another one.
  const again = setInterval(() => server.child.kill('SIGTERM'), 100);
  expect(await server.exit).toBe(1);
  clearInterval(again);
  const [line] = server.lines(/the process exits/);
  expect(line?.waiting).toEqual([
    { part: 'tool', sid: 'a', environment: 'blocking', taskId: 'id-of-wait', tool: 'wait' },
  ]);
});

test('nothing is told of a server that does not block, or without a watchdog; it stops as ever', async () => {
  for (const [tool, ...args] of [['quick'], ['spin', '--limit', 'maxBlockMs=0']] as const) {
    const server = await serve(...args);
    await server.post('/create', { split: 'train', index: 0 });
    expect((await server.call(tool)).status).toBe(200);
    if (args.length > 0) expect(await (await fetch(`${server.url}/metrics`)).text()).not.toContain('tiltyard_blocked');
    expect(server.lines(/blocked for [^"]* by/)).toEqual([]);
    server.child.kill('SIGTERM');
    expect(await server.exit).toBe(0);
  }
});
