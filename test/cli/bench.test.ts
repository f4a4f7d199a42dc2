import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { environment, step, tool, toolkit } from 'tiltyard';
import { createServer as createTiltyard } from 'tiltyard/server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { gridworld } from '../../examples/gridworld/environment.ts';
import { calculator } from '../../examples/toolkit/toolkit.ts';
import { folderWith, type Run, run, untilPrinted } from '../support/command.ts';
import { shareServer } from '../support/http.ts';
import { keys, runInTerminal } from '../support/pty.ts';
import { runHere } from '../support/run-here.ts';

// Each command starts a process, and many of them a second one for the server.
vi.setConfig({ testTimeout: 60_000 });

// Long enough for some calls on a busy machine, and no longer.
const SHORT = ['--duration', '300ms', '--warm-up', '50ms', '--connections', '2'];

const GRID = 'examples/gridworld/environment.ts';
const TOOLKIT = 'examples/toolkit/toolkit.ts';

const PROBE = `
import { appendFileSync } from 'node:fs';
import { environment, step } from 'tiltyard';
const note = (what) => appendFileSync(process.env.LOG, what + ' ' + process.pid + '\\n');
export const probe = environment({
  name: 'probe',
  splits: { train: [{}] },
  setup: () => note('setup'),
  prompt: () => 'Go.',
  tools: { go: { run: () => step('gone', { reward: 1 }) } },
  teardown: () => note('teardown'),
});`;

async function resultOf(command: Run): Promise<any> {
  expect(await command.exit, command.output()).toBe(0);
  return JSON.parse(command.stdout());
}

/** Against a server of this process, the command may run in it as well. */
async function resultHere(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<any> {
  const { code, output, stdout } = await runHere(['bench', ...args, ...SHORT, '--json'], env);
  expect(code, output).toBe(0);
  return { ...JSON.parse(stdout), output };
}

/** The examples, where it does not matter that they are modules. */
const examples = {
  grid: shareServer({ environments: [gridworld] }),
  toolkit: shareServer({ environments: [], toolkits: [calculator] }),
};

interface Served {
  readonly url: string;
  readonly counts: { calls: number; setups: number; teardowns: number };
}

/** A server of this process, with an environment and a toolkit. */
async function serveHere(): Promise<Served> {
  const counts = { calls: 0, setups: 0, teardowns: 0 };
  const next = () => {
    counts.calls += 1;
    return counts.calls;
  };
  const count = environment({
    name: 'count',
    splits: { train: [{ n: 1 }, { n: 2 }] },
    setup() {
      counts.setups += 1;
    },
    prompt: () => 'Count.',
    tools: {
      next: { run: () => step(String(next()), { reward: 1 }) },
      last: { run: () => step('', { finished: true }) },
    },
    teardown() {
      counts.teardowns += 1;
    },
  });
  const kit = toolkit({ name: 'Kit', tools: { Next: tool({ run: next }) } });
  const server = await createTiltyard({ environments: [count], toolkits: [kit], logger: false });
  onTestFinished(() => server.close());
  return { url: await server.listen(), counts };
}

/** A server that speaks ORS, and answers calls as it is told. */
async function serveForeign(call: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const answers: Record<string, unknown> = {
    '/list_environments': ['flaky'],
    '/flaky/splits': [{ name: 'train', type: 'train' }],
    '/create_session': { sid: 'a-session' },
    '/create': { sid: 'a-session' },
    '/flaky/prompt': [],
    '/flaky/task_tools': { tools: [{ name: 'go', description: '', input_schema: null }] },
  };
  const server = createServer((request, response) => {
    if (request.url === '/flaky/call') return void request.resume().on('end', () => call(request, response));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answers[request.url ?? ''] ?? {}));
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const END = 'event: task_id\ndata: x\n\nevent: end\ndata: {"ok":true,"output":{"blocks":[],"finished":false}}\n\n';

function answerWell(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(END);
}

const USED_UP = `
import { environment, step, tool, ToolError, toolkit } from 'tiltyard';
export const turns = environment({
  name: 'turns',
  splits: { train: [{}] },
  setup: () => ({ left: 3 }),
  prompt: () => 'Go.',
  tools: {
    go: {
      run(_input, { state }) {
        if (state.left === 0) throw new ToolError('no turns left');
        state.left -= 1;
        return step('gone', { reward: 0 });
      },
    },
    refuse: {
      run() {
        throw new ToolError('not today');
      },
    },
  },
});
export const kit = toolkit({ name: 'Kit', tools: { Refuse: tool({ run() { throw new ToolError('closed'); } }) } });`;

test('an episode that takes no more calls is followed by a new one', async () => {
  const folder = await folderWith({ 'turns.mts': USED_UP });
  const {
    servers: [server],
  } = await resultOf(run(['bench', join(folder, 'turns.mts'), '--tool', 'go', ...SHORT, '--json']));
  expect(server.errors).toEqual([
    { kind: 'tool', count: expect.any(Number), example: expect.stringContaining('no turns left') },
  ]);
  // Three calls of each episode go well; the fourth finds it used up, and is told.
  expect(server.completed).toBeGreaterThan(server.failed);
});

test.each([
  ['refuse', /'refuse' with the input {}: .*not today/],
  ['Kit.Refuse', /'Kit.Refuse' with the input {}: .*closed/],
])('nothing is measured after a failed first call of %s', async (name, told) => {
  const folder = await folderWith({ 'turns.mts': USED_UP });
  const { exit, output } = run(['bench', join(folder, 'turns.mts'), '--tool', name, ...SHORT]);
  expect(await exit).toBe(1);
  expect(output()).toContain('the first call failed, so nothing was measured');
  expect(output()).toMatch(told);
  expect(output()).toContain('--input');
  expect(output()).not.toContain('calls/s');
});

test('a module is measured in a process of its own, with what that process used', async () => {
  const result = await resultOf(run(['bench', GRID, ...SHORT, '--json']));
  expect(result).toMatchObject({ unit: 'calls', connections: 2, rate: null, interrupted: false });
  const [server] = result.servers;
  expect(server).toMatchObject({
    name: GRID,
    work: { protocol: 'ORS', environment: 'gridworld', split: 'train', tool: 'move', input: { direction: 'up' } },
    failed: 0,
    errors: [],
    unsent: 0,
  });
  expect(server.perSecond.median).toBeGreaterThan(0);
  const { p50, p90, p99, max } = server.latencyMs;
  expect([p50, p90, p99, max]).toEqual([p50, p90, p99, max].sort((a, b) => a - b));
  expect(server.histogram.reduce((sum: number, [, , count]: number[]) => sum + (count ?? 0), 0)).toBe(
    server.latencyMs.count,
  );
  expect(server.rounds).toHaveLength(1);
  expect(server.rounds[0].usage).toMatchObject({ cores: expect.any(Number), memoryBytes: expect.any(Number) });
  expect(server.rounds[0].lag).toMatchObject({ p99Ms: expect.any(Number) });
});

test('it says what it chose, and draws without colours or block characters where it is piped', async () => {
  const bench = run(['bench', TOOLKIT, ...SHORT]);
  expect(await bench.exit).toBe(0);
  expect(bench.output()).toContain(`Calling 'Calculator.Add@1.0.0', the first tool; --tool picks another.`);
  expect(bench.output()).toContain(`Input generated from the tool's schema: {"a":1,"b":1}`);
  expect(bench.stdout()).toMatch(/throughput +[\d,.]+ calls\/s\n +latency +p50 .* p90 .* p99 .* max /);
  expect(bench.stdout()).toMatch(/errors +none/);
  expect(bench.stdout()).toMatch(/#/);
  expect(bench.stdout()).not.toMatch(/[^\n\x20-\x7e]/);
});

test('a server that runs is measured over both protocols, and all sessions are ended', async () => {
  const { url, counts } = await serveHere();
  const ors = await resultHere([url]);
  const { calls } = counts;
  // One call more, at the beginning, tries the tool, in a session of its own.
  expect(calls).toBeGreaterThan(ors.servers[0].completed);
  expect(counts).toMatchObject({ setups: 3, teardowns: 3 });
  const oxp = await resultHere([url, '--tool', 'Kit.Next']);
  expect(oxp.servers[0]).toMatchObject({ work: { protocol: 'OXP', tool: 'Kit.Next' }, failed: 0 });
  // Each call has an id of its own: a repeated one would not run.
  expect(counts.calls - calls).toBeGreaterThan(oxp.servers[0].latencyMs.count);
  if (process.platform === 'linux') expect(ors.servers[0].rounds[0].usage.memoryBytes).toBeGreaterThan(0);
});

test('a call that ends its episode is followed by a new episode, without an error', async () => {
  const { url, counts } = await serveHere();
  const { servers, output } = await resultHere([url, '--tool', 'last']);
  expect(output).toContain('Each call ends its episode');
  expect(servers[0]).toMatchObject({ failed: 0 });
  expect(servers[0].completed).toBeGreaterThan(2);
  expect(counts.setups).toBeGreaterThan(servers[0].completed);
  expect(counts.teardowns).toBe(counts.setups);
});

test('whole episodes are measured, request by request', async () => {
  const bench = run(['bench', GRID, ...SHORT, '--episodes', '--steps', '2', '--json', '--duration', '1s']);
  const result = await resultOf(bench);
  const [{ operations, failed }] = result.servers;
  expect(failed).toBe(0);
  expect(Object.keys(operations)).toEqual(['create', 'prompt', 'tools', 'call', 'delete']);
  expect(operations.call.count).toBeGreaterThan(operations.create.count);
});

test('an open load keeps its rate', async () => {
  const { url } = await serveHere();
  const result = await resultOf(run(['bench', url, ...SHORT, '--rate', '20', '--duration', '1s', '--json']));
  expect(result).toMatchObject({ rate: 20 });
  expect(result.servers[0].perSecond.median).toBeLessThan(40);
});

test('a ramp tells where the knee is', async () => {
  const bench = run([
    'bench',
    TOOLKIT,
    '--ramp',
    '--duration',
    '200ms',
    '--warm-up',
    '0s',
    '--connections',
    '4',
    '--json',
  ]);
  const { ramp, servers } = await resultOf(bench);
  expect(ramp).toMatchObject({ kind: 'connections', knee: { load: expect.any(Number) }, end: expect.any(String) });
  expect(servers[0].rounds.map(({ connections }: { connections: number }) => connections)).toEqual(
    [1, 2, 4].slice(0, servers[0].rounds.length),
  );
});

test('two servers are compared in turns, and the ratio is the median of the rounds', async () => {
  const args = ['bench', TOOLKIT, '--compare', TOOLKIT, ...SHORT, '--rounds', '2', '--json'];
  const { ratio, servers } = await resultOf(run(args));
  expect(servers).toHaveLength(2);
  const [first, second] = servers.map(({ rounds }: any) => rounds.map(({ perSecond }: any) => perSecond));
  const ratios = first.map((rate: number, round: number) => rate / second[round]);
  expect(ratio.perSecond.median).toBeCloseTo((ratios[0] + ratios[1]) / 2);
  expect([ratio.perSecond.min, ratio.perSecond.max]).toEqual([Math.min(...ratios), Math.max(...ratios)]);
});

test('a rate, or a ratio, below the limit is a failure of the command, and says by how much', async () => {
  const { url } = await serveHere();
  const slow = await runHere(['bench', url, ...SHORT, '--fail-below', '100000000']);
  expect(slow.code).toBe(1);
  expect(slow.output).toMatch(/did [\d.]+ calls\/s, and --fail-below asks for 100000000/);
  const worse = await runHere(['bench', url, '--compare', url, ...SHORT, '--rounds', '1', '--fail-below', '1000']);
  expect(worse.code).toBe(1);
  expect(worse.output).toMatch(/times the calls of .*, and --fail-below asks for 1000/);
  const fine = await runHere(['bench', url, ...SHORT, '--fail-below', '0.1']);
  expect(fine.code).toBe(0);
});

test('errors are counted by kind, with what the first one said', async () => {
  let count = 0;
  const url = await serveForeign((request, response) => {
    count += 1;
    const kind = count % 6;
    if (kind === 0) response.writeHead(500).end('{"detail":"it \\u001b[31mbroke"}');
    else if (kind === 1) answerWell(response);
    else if (kind === 2) request.socket.destroy();
    else if (kind === 3) response.end('event: task_id\ndata: x\n\n');
    else if (kind === 4) response.end('event: end\ndata: {"ok":false,"error":"no such door"}\n\n');
    else response.writeHead(410).end('{"detail":"the session is over"}');
  });
  const bench = run(['bench', url, ...SHORT, '--json']);
  const { servers } = await resultOf(bench);
  const kinds = Object.fromEntries(servers[0].errors.map((error: any) => [error.kind, error.example]));
  expect(Object.keys(kinds).sort()).toEqual(['cut', 'gone', 'status 500', 'tool']);
  expect(kinds).toMatchObject({ tool: 'no such door', gone: 'the session is over' });
  // The first call goes well again.
  count = 0;
  const text = run(['bench', url, ...SHORT]);
  await text.exit;
  expect(text.stdout()).toMatch(/\d+ x status 500: it .\[31mbroke/);
  expect(text.stdout()).not.toContain('\x1b');
});

test('a server of which nothing goes well is a failure of the command', async () => {
  let calls = 0;
  const url = await serveForeign((_, response) => {
    calls += 1;
    // Once it can: a load is begun only after a call that went well.
    if (calls === 1) answerWell(response);
    else response.writeHead(503).end('{"detail":"full"}');
  });
  const bench = run(['bench', url, ...SHORT]);
  expect(await bench.exit).toBe(1);
  expect(bench.output()).toContain('none of the calls');
  expect(bench.output()).toContain('(status 503)');
  expect(bench.stdout()).toMatch(/latency +none of the calls succeeded/);
  expect(bench.stdout()).not.toMatch(/p50|cores busy/);
});

test('the report is one file that loads nothing', async () => {
  const folder = await folderWith({});
  const file = join(folder, 'report.html');
  const bench = run(['bench', TOOLKIT, ...SHORT, '--html', file]);
  expect(await bench.exit).toBe(0);
  expect(bench.output()).toContain(`Report written to ${file}`);
  const page = await readFile(file, 'utf8');
  expect(page).toMatch(/^<!doctype html>/);
  expect(page).toContain('<svg');
  expect(page).not.toMatch(/https?:\/\/|<script|<link|@import|url\(/);
});

test('Ctrl-C ends the sessions and the server, prints what there is, and exits with 130', async () => {
  const folder = await folderWith({ 'probe.ts': PROBE });
  const log = join(folder, 'log');
  const args = ['bench', join(folder, 'probe.ts'), '--duration', '60s', '--warm-up', '0s', '--connections', '3'];
  const screen = runInTerminal(args, { LOG: log });
  await screen.until(/\d+ calls\/s/);
  screen.type(keys.interrupt);
  expect(await screen.exit).toBe(130);
  expect(screen.text()).toContain('Interrupted: this is what was measured until then.');
  expect(screen.text()).toMatch(/throughput +[\d,.]+ calls\/s/);
  // A terminal gets block characters.
  expect(screen.text()).toMatch(/█/);
  const lines = (await readFile(log, 'utf8')).trim().split('\n');
  const [setups, teardowns] = ['setup', 'teardown'].map((what) => lines.filter((line) => line.startsWith(`${what} `)));
  // One session tried the tool; the others were the three connections'.
  expect([setups?.length, teardowns?.length]).toEqual([4, 4]);
  const pid = lines[0]?.split(' ')[1];
  if (process.platform === 'linux') expect(existsSync(`/proc/${pid}`)).toBe(false);
});

test('Ctrl-C while it warms up leaves nothing to show', async () => {
  const { url, counts } = await serveHere();
  const bench = run(['bench', url, '--duration', '60s', '--warm-up', '60s', '--connections', '2']);
  await untilPrinted(bench, /Calling 'next'/);
  await expect.poll(() => counts.calls, { timeout: 10_000 }).toBeGreaterThan(20);
  bench.child.kill('SIGINT');
  expect(await bench.exit).toBe(130);
  expect(bench.output()).toContain('tiltyard: interrupted before anything was measured\n');
  expect(bench.stdout()).toBe('');
});

test('a signal while it is piped prints the part that was measured as JSON', async () => {
  const { url, counts } = await serveHere();
  const bench = run(['bench', url, '--duration', '60s', '--warm-up', '0s', '--connections', '2', '--json']);
  await untilPrinted(bench, /Calling 'next'/);
  // Far beyond what it calls before it measures, so that its clock has begun.
  await expect.poll(() => counts.calls, { timeout: 20_000 }).toBeGreaterThan(500);
  bench.child.kill('SIGINT');
  expect(await bench.exit).toBe(130);
  expect(JSON.parse(bench.stdout())).toMatchObject({ interrupted: true });
});

test.each([
  ['a server elsewhere without a tool', ['http://192.0.2.1:80'], 2, /not on this machine.*--tool/],
  ['a ramp of two', [TOOLKIT, '--ramp', '--compare', TOOLKIT], 2, /cannot be combined/],
  ['too many connections', [TOOLKIT, '--connections', '10001'], 2, /limited to 10000/],
  ['a time beyond all bounds', [TOOLKIT, '--duration', '2h'], 2, /at most 60/],
  ['no connections', [TOOLKIT, '--connections', '0'], 2, /more than 0/],
  ['a rate that is none', [TOOLKIT, '--rate', 'fast'], 2, /greater than 0/],
  ['steps without episodes', [TOOLKIT, '--steps', '3'], 2, /--episodes/],
  ['episodes of a toolkit', [TOOLKIT, '--episodes'], 2, /have no episodes/],
  ['a tool that is not there', [GRID, '--tool', 'fly'], 1, /no tool 'fly'. Choose one of: move/],
  ['an environment that is not there', [GRID, '-e', 'sea'], 1, /no environment 'sea'. Choose one of: gridworld/],
  ['a split that is not there', [GRID, '-s', 'sea'], 1, /no split 'sea'. Choose one of: /],
  [
    'an input that is refused',
    [GRID, '--input', '{"direction":"away"}'],
    1,
    /the first call failed.*"away".*must be one of.*--input/is,
  ],
  ['a file that is not there', ['nowhere.ts'], 1, /file not found: nowhere\.ts/],
  [
    'a server that does not run',
    ['localhost:10'],
    1,
    /nothing is listening at http:\/\/localhost:10\. Start a server with: tiltyard serve/,
  ],
])('%s is refused with what to do', async (_, args, exitCode, message) => {
  const urls = new Map([
    [GRID, examples.grid().url],
    [TOOLKIT, examples.toolkit().url],
  ]);
  const { code, output } = await runHere(['bench', ...args.map((arg) => urls.get(arg) ?? arg)]);
  expect(output).toMatch(message);
  expect(code).toBe(exitCode);
});

test('a key that is missing is asked for by the name of its variable', async () => {
  const server = await createTiltyard({
    environments: [
      environment({ name: 'a', splits: { train: [{}] }, prompt: () => '', tools: { go: { run: () => 'ok' } } }),
    ],
    auth: { apiKeys: ['right-key'] },
    logger: false,
  });
  onTestFinished(() => server.close());
  const url = await server.listen();
  const without = await runHere(['bench', url, ...SHORT], { TILTYARD_API_KEY: '', ORS_API_KEY: '' });
  expect(without.code).toBe(1);
  expect(without.output).toContain('Set the environment variable TILTYARD_API_KEY');
  const result = await resultHere([url], { TILTYARD_API_KEY: 'right-key' });
  expect(result.servers[0]).toMatchObject({ failed: 0 });
  expect(JSON.stringify(result)).not.toContain('right-key');
});
