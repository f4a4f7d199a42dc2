import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_LIMITS } from 'tiltyard/server';
import { expect, test } from 'vitest';
import { folderWith, insist, type Run, run, untilPrinted } from '../support/command.ts';
import { runHere } from '../support/run-here.ts';

const WAITING = `
import { appendFileSync } from 'node:fs';
import { Server } from 'node:http';
import { environment } from 'tiltyard';
if (process.env.STOPS === 'never') Server.prototype.close = () => {};
const note = (line) => appendFileSync(process.env.NOTES, line + '\\n');
export const waiting = environment({
  name: 'waiting',
  splits: { train: [{}] },
  prompt: () => '',
  tools: {
    wait: { async run({}, { signal }) {
      const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
      await Promise.race([new Promise((resolve) => setTimeout(resolve, Number(process.env.WAIT_MS))), aborted]);
      return signal.aborted ? 'aborted' : 'waited';
    } },
    stray: { run() {
      setTimeout(() => { throw new Error('thrown in a timer'); });
      void Promise.reject(new Error('rejected and left'));
      return 'left';
    } },
  },
  teardown: () => note('teardown'),
});`;

interface Served extends Run {
  readonly url: string;
  readonly notes: string;
}

/** Serves the module above; its JSON line has been printed. */
async function serve(args: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Served> {
  const folder = await folderWith({ 'waiting.mjs': WAITING });
  const notes = join(folder, 'notes');
  const server = run(['serve', join(folder, 'waiting.mjs'), '--port', '0', '--json', ...args], {
    NOTES: notes,
    ...env,
  });
  const [line] = await untilPrinted(server, /^\{"url".*\}$/m);
  return { ...server, notes, url: JSON.parse(line).url };
}

function post(url: string, path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'x-session-id': 'a' };
  return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** Starts a call in a session of its own; the stream has begun when this returns. */
async function startCall({ url }: Served, name: string): Promise<Response> {
  await post(url, '/create', { split: 'train', index: 0 });
  return post(url, '/waiting/call', { name, input: {} });
}

/** Closes what the command writes to, and has it write a line there. */
async function loseReaders({ child, url }: Served, ...streams: ('stdout' | 'stderr')[]): Promise<void> {
  for (const stream of streams) child[stream]?.destroy();
  await fetch(`${url}/list_environments`);
}

test('--limit and TILTYARD_LIMITS set limits, --limit first, and the JSON line and the log show all', async () => {
  const args = ['--log-level', 'info', '--limit', 'maxSessions=5', '--limit', 'bodyBytes=1000'];
  const server = await serve(args, { TILTYARD_LIMITS: 'maxSessions=7, idleMs = 60000,' });
  const limits = { ...DEFAULT_LIMITS, maxSessions: 5, bodyBytes: 1000, idleMs: 60_000 };
  for (const pattern of [/^\{"url".*\}$/m, /^\{.*"msg":"limits in force"\}$/m]) {
    const [line] = await untilPrinted(server, pattern);
    expect(JSON.parse(line).limits).toEqual(limits);
  }
});

test.each([
  [['--limit', 'most=5'], {}, "--limit: 'most=5' is not a limit. Write name=number with one of these"],
  [['--limit', 'maxsessions=5'], {}, "--limit: 'maxsessions=5' is not a limit. Did you mean 'maxSessions'?"],
  [['--limit', 'maxSessions'], {}, 'bodyBytes (bytes), headerBytes (bytes), headersMs (ms)'],
  [['--limit', 'maxSessions=-1'], {}, 'maxSessions must be a whole number from 1, not the string "-1"'],
  [['--limit', 'maxSessions='], {}, 'maxSessions must be a whole number from 1, not the string ""'],
  [['--limit', 'idleMs=15m'], {}, 'idleMs must be a whole number of ms from 1 to 2147483647, not the string "15m"'],
  [['--limit', 'maxSessions=0'], {}, 'maxSessions must be a whole number from 1, not 0'],
  [[], { TILTYARD_LIMITS: 'toString=1' }, "TILTYARD_LIMITS: 'toString=1' is not a limit"],
])('%j %j is refused with what to write', async (args, env, message) => {
  const folder = await folderWith({ 'waiting.mjs': WAITING });
  const { code, output } = await runHere(['serve', join(folder, 'waiting.mjs'), '--port', '0', ...args], env);
  expect(output).toContain(message);
  expect(code).toBe(2);
});

test('`tiltyard limits` names every limit with its default', async () => {
  const { code, output } = await runHere(['limits']);
  expect(code).toBe(0);
  for (const [name, value] of Object.entries(DEFAULT_LIMITS))
    expect(output).toMatch(new RegExp(`^  ${name} +${value}  \\S`, 'm'));
});

test.each(['SIGTERM', 'SIGHUP'] as const)(
  '%s lets a running call end, then tears down and ends with code 0',
  async (signal) => {
    const server = await serve([], { WAIT_MS: '700' });
    const response = await startCall(server, 'wait');
    server.child.kill(signal);
    expect(await response.text()).toContain('waited');
    expect(await server.exit).toBe(0);
    expect(readFileSync(server.notes, 'utf8')).toBe('teardown\n');
    expect(server.output()).toContain(
      `${signal}: waiting up to 10 s for running calls, then ending sessions. Press again to stop now.`,
    );
  },
);

test('when nobody reads the log any more it says so once, lets a running call end, tears down, and fails', async () => {
  const server = await serve(['--log-level', 'info'], { WAIT_MS: '700' });
  const response = await startCall(server, 'wait');
  await loseReaders(server, 'stdout');
  expect(await response.text()).toContain('waited');
  expect(await server.exit).toBe(1);
  expect(readFileSync(server.notes, 'utf8')).toBe('teardown\n');
  expect(server.output().match(/^tiltyard: .*$/gm)).toEqual([
    'tiltyard: standard output was closed, so nobody reads the log: waiting up to 10 s for running calls, then ending sessions.',
  ]);
});

test('a reader who leaves while it stops already changes nothing', async () => {
  const server = await serve(['--log-level', 'info'], { WAIT_MS: '2000' });
  const response = await startCall(server, 'wait');
  server.child.kill('SIGTERM');
  await untilPrinted(server, /Press again to stop now/);
  // It may have stopped before that, on a machine that is busy.
  await loseReaders(server, 'stdout').catch(() => {});
  expect(await response.text()).toContain('waited');
  expect(await server.exit).toBe(0);
  expect(server.output()).not.toContain('nobody reads');
});

test('it stops in good order as well when its messages go into the same closed pipe', async () => {
  const server = await serve(['--log-level', 'info'], { WAIT_MS: '700' });
  const response = await startCall(server, 'wait');
  await loseReaders(server, 'stdout', 'stderr');
  expect(await response.text()).toContain('waited');
  expect(await server.exit).toBe(1);
  expect(readFileSync(server.notes, 'utf8')).toBe('teardown\n');
});

test('SIGTERM aborts a call that takes longer than drainMs, and the client can tell', async () => {
  const server = await serve(['--limit', 'drainMs=100'], { WAIT_MS: '600000' });
  const response = await startCall(server, 'wait');
  server.child.kill('SIGTERM');
  expect(await response.text()).toMatch(/event: error\r?\ndata: session 'a' ended because the server is stopping/);
  expect(await server.exit).toBe(0);
  expect(readFileSync(server.notes, 'utf8')).toBe('teardown\n');
});

test('a second signal ends it at once', async () => {
  const server = await serve([], { WAIT_MS: '600000' });
  await startCall(server, 'wait');
  server.child.kill('SIGTERM');
  await untilPrinted(server, /Press again to stop now/);
  expect(await insist(server, 'SIGTERM')).toBe(1);
});

test('a server that does not stop in time is ended, and says so', async () => {
  const noTime = ['drainMs', 'graceMs', 'teardownMs', 'closeMs'].flatMap((name) => ['--limit', `${name}=0`]);
  const server = await serve(noTime, { STOPS: 'never' });
  server.child.kill('SIGTERM');
  expect(await server.exit).toBe(1);
  expect(server.output()).toContain('tiltyard: did not stop within 1 s: exiting now');
});

test('what nobody catches in the code of one episode is logged with its stack, and ends nothing', async () => {
  const server = await serve();
  expect(await (await startCall(server, 'stray')).text()).toContain('left');
  await untilPrinted(server, /thrown in a timer/);
  await untilPrinted(server, /rejected and left/);
  const errors = server
    .output()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ level }) => level === 50);
  expect(errors.map(({ error, msg }) => `${error.message}: ${msg.split('.')[0]}`).sort()).toEqual([
    'rejected and left: a promise was rejected where nobody catches it',
    'thrown in a timer: an error was thrown where nobody catches it',
  ]);
  for (const { error } of errors) expect(error.stack).toContain('waiting.mjs');
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(metrics).toContain('\ntiltyard_uncaught_errors_total 2\n');
  expect((await post(server.url, '/waiting/call', { name: 'stray', input: {} })).status).toBe(200);
  server.child.kill('SIGTERM');
  expect(await server.exit).toBe(0);
});
