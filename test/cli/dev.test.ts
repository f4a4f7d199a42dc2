import { once } from 'node:events';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { connect, type Session, SessionTerminated } from 'tiltyard/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { rejection } from '../support/client.ts';
import { folderWith, insist, ROOT, type Run, run, untilPrinted } from '../support/command.ts';
import { keys, runInTerminal } from '../support/pty.ts';

// Each loads TypeScript in several processes, one after the other.
vi.setConfig({ testTimeout: 60_000 });

const MATH = `
import { appendFileSync } from 'node:fs';
import { environment } from 'tiltyard';
import { version } from './version.ts';
console.log('the author prints', version);
export const math = environment({
  name: 'math',
  splits: { train: [{ n: 1 }] },
  setup: () => ({}),
  prompt: () => [version, process.env.TILTYARD_API_KEYS ?? 'no key', process.pid].join(' '),
  tools: {
    hang: { run: (_input: {}, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))) },
    loop: { run() { for (;;); } },
    exit: { run() { process.exit(7); } },
    look: { run: () => 'seen' },
    fail: { run() { throw new Error('a mistake of the author'); } },
  },
  teardown: () => appendFileSync('teardowns', version + '\\n'),
});`;

const project = (version = "export const version = 'one';\n") => folderWith({ 'math.ts': MATH, 'version.ts': version });

/** Runs the command in a project and waits until it serves. */
async function develop(folder: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const command = run(['dev', 'math.ts', '--port', '0', ...args], env, folder);
  const [, url = ''] = await untilPrinted(command, /listening on (http:\/\/localhost:\d+)/);
  return { command, url };
}

const write = (folder: string, text: string) => writeFile(join(folder, 'version.ts'), text);
const setVersion = (folder: string, version: string) => write(folder, `export const version = '${version}';\n`);
const teardowns = (folder: string) => readFile(join(folder, 'teardowns'), 'utf8');
const untilReloaded = (command: Run, times = 1) =>
  untilPrinted(command, new RegExp(`(?:reloaded, listening on [\\s\\S]*){${times}}`));

async function openSession(url: string, apiKey = ''): Promise<Session> {
  const client = connect(url, { apiKey });
  return client.session({ split: 'train', index: 0 });
}

async function promptOf(url: string, apiKey = ''): Promise<string> {
  await using session = await openSession(url, apiKey);
  return (await session.prompt()).map((block) => ('text' in block ? block.text : '')).join('');
}

test('a change of a file that the module imports is served on the same port, without an escape code in the pipe', async () => {
  const folder = await project();
  const { command, url } = await develop(folder);
  expect(await promptOf(url)).toMatch(/^one /);
  await setVersion(folder, 'two');
  await untilReloaded(command);
  expect(await promptOf(url)).toMatch(/^two /);
  await writeFile(join(folder, 'math.ts'), MATH.replace('[version,', "['edited', version,"));
  await untilReloaded(command, 2);
  expect(await promptOf(url)).toMatch(/^edited two /);
  expect(command.output()).toContain('the author prints one');
  expect(command.output()).toMatch(/\d\d:\d\d:\d\d {2}version\.ts: reloading/);
  expect(command.output()).toMatch(/\d\d:\d\d:\d\d {2}200 {2}GET {2}\/math\/prompt {2}[\d.]+ ms {2}\S{8}\n/);
  expect(command.output()).not.toContain('\x1b');
});

test('a running call ends with an error that tells the client to begin anew, and its teardown runs', async () => {
  const folder = await project();
  const { command, url } = await develop(folder);
  const session = await openSession(url);
  const call = rejection(session.call('hang'));
  await session.prompt();
  await setVersion(folder, 'two');
  const error = await call;
  expect(error).toBeInstanceOf(SessionTerminated);
  expect(error.message).toContain('ended because the server is stopping');
  await untilReloaded(command);
  expect(await teardowns(folder)).toBe('one\n');
  expect(await rejection(session.call('hang'))).toBeInstanceOf(SessionTerminated);
  expect(await promptOf(url)).toMatch(/^two /);
});

test('when nobody reads its output any more it ends the sessions, says why, and fails', async () => {
  const folder = await project();
  const { command, url } = await develop(folder);
  const session = await openSession(url);
  command.child.stdout?.destroy();
  // Its line in the log is what finds nobody; the line of the session's beginning may have done so before.
  await session.prompt().catch(() => {});
  expect(await command.exit).toBe(1);
  expect(command.output()).toMatch(/^tiltyard: stopped: standard output was closed$/m);
  expect(await teardowns(folder)).toBe('one\n');
});

test('a mistake is shown with file and line while the version before goes on serving, and mending it reloads', async () => {
  const folder = await project();
  const { command, url } = await develop(folder);
  const session = await openSession(url);
  await write(folder, "export const fine = 1;\nexport const version = = 'two';\n");
  await untilPrinted(command, /version\.ts:2:24 {2}SyntaxError: Unexpected "="/);
  await untilPrinted(command, /> 2 \| export const version = = 'two';/);
  await untilPrinted(command, /Still serving the previous version\. Waiting for changes\./);
  expect(await session.prompt()).toMatchObject([{ text: expect.stringMatching(/^one /) }]);
  await setVersion(folder, 'mended');
  await untilReloaded(command);
  expect(await promptOf(url)).toMatch(/^mended /);
});

test('a module that is deleted is missed in words for people', async () => {
  const folder = await project();
  const { command } = await develop(folder, ['--no-studio']);
  await rm(join(folder, 'math.ts'));
  await untilPrinted(command, /^file not found: math\.ts in /m);
  await untilPrinted(command, /Still serving the previous version/);
});

test('a project that Node takes for CommonJS is served once its package.json says otherwise', async () => {
  const folder = await project();
  // With a manifest of its own it is no part of this package any more.
  await mkdir(join(folder, 'node_modules'));
  await symlink(ROOT, join(folder, 'node_modules/tiltyard'));
  const manifest = join(folder, 'package.json');
  await writeFile(manifest, '{"type":"commonjs"}');
  const command = run(['dev', 'math.ts', '--port', '0'], {}, folder);
  await untilPrinted(command, /Node treats it as CommonJS, which cannot import tiltyard/);
  await untilPrinted(command, /Nothing is served\. Waiting for changes\./);
  await writeFile(manifest, '{"type":"module"}');
  const [, url = ''] = await untilPrinted(command, /listening on (http:\/\/localhost:\d+)/);
  expect(await promptOf(url)).toMatch(/^one /);
});

test('a module that cannot be loaded at the start is waited for, and Ctrl-C then ends with 0', async () => {
  const folder = await project("import { text } from './later.ts';\nexport const version = text;\n");
  const command = run(['dev', 'math.ts', '--port', '0'], {}, folder);
  await untilPrinted(command, /version\.ts:1 {2}Cannot find module '.*later\.ts'/);
  await untilPrinted(command, /Nothing is served\. Waiting for changes\./);
  await writeFile(join(folder, 'later.ts'), "export const text = 'there';\n");
  const [, url = ''] = await untilPrinted(command, /listening on (http:\/\/localhost:\d+)/);
  expect(await promptOf(url)).toMatch(/^there /);
  await writeFile(join(folder, 'later.ts'), 'throw new Error("again")');
  await untilPrinted(command, /version\.ts:1:10 {2}SyntaxError: The requested module '.\/later\.ts' does not provide/);
  command.child.kill('SIGINT');
  expect(await command.exit).toBe(0);
});

test('Ctrl-C runs the teardowns, leaves no process, and on a terminal lines have colours', async () => {
  const folder = await project();
  const screen = runInTerminal(['dev', 'math.ts', '--port', '0'], {}, folder);
  const [, url = ''] = await screen.until(/listening on (http:\/\/localhost:\d+)/);
  const session = await openSession(url);
  const [block] = await session.prompt();
  const pid = Number(/\d+$/.exec(block !== undefined && 'text' in block ? block.text : '')?.[0]);
  await screen.until(/200 {2}GET {2}\/math\/prompt/);
  expect(screen.raw()).toContain('\x1b[32m200');
  screen.type(keys.interrupt);
  await screen.until(/Ending sessions/);
  expect(await screen.exit).toBe(0);
  expect(await teardowns(folder)).toBe('one\n');
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

test('a Ctrl-C that arrives twice, as npm sends it on, is one', async () => {
  const folder = await project();
  const { command, url } = await develop(folder);
  await openSession(url);
  command.child.kill('SIGINT');
  await untilPrinted(command, /Ending sessions/);
  command.child.kill('SIGINT');
  expect(await command.exit).toBe(0);
  expect(await teardowns(folder)).toBe('one\n');
});

test('a second Ctrl-C ends at once, and leaves no process either', async () => {
  const folder = await project();
  await writeFile(
    join(folder, 'math.ts'),
    MATH.replace(/teardown: .*/, "teardown: () => new Promise(() => console.log('stuck')),"),
  );
  const { command, url } = await develop(folder);
  await openSession(url);
  command.child.kill('SIGINT');
  await untilPrinted(command, /stuck/);
  // The output closes when the last process that writes to it has ended.
  expect(await insist(command, 'SIGINT')).toBe(130);
  // Before the limit of teardowns (30 s) could have ended it.
}, 25_000);

test('when the command is killed, what it serves ends by itself, with its teardowns', async () => {
  const folder = await project();
  const { command, url } = await develop(folder);
  await openSession(url);
  command.child.kill('SIGKILL');
  await command.exit;
  expect(await teardowns(folder)).toBe('one\n');
});

test('H11: a tool that exits, or loops for ever, ends no server, and the next change is served', async () => {
  const folder = await project();
  const { command, url } = await develop(folder);
  const exiting = await openSession(url);
  const lost = new AbortController();
  onTestFinished(() => lost.abort());
  expect((await rejection(exiting.call('exit'))).message).toContain('it exited with code 7');
  await untilPrinted(command, /a worker process has ended: it exited with code 7/);
  expect(await promptOf(url)).toMatch(/^one /);
  const looping = await openSession(url);
  await looping.prompt();
  void looping.call('loop', {}, { signal: lost.signal }).catch(() => {});
  await expect(fetch(`${url}/health`)).resolves.toMatchObject({ status: 200 });
  await setVersion(folder, 'two');
  await untilPrinted(command, /a worker process has ended: tool 'loop' of environment 'math' blocked it/);
  await untilReloaded(command);
  expect(await promptOf(url)).toMatch(/^two /);
});

test('files that no import names are watched when they are named', async () => {
  const folder = await project();
  await writeFile(join(folder, 'tasks.jsonl'), '{}');
  const { command } = await develop(folder, ['--watch', 'tasks.jsonl']);
  await writeFile(join(folder, 'tasks.jsonl'), '{}{}');
  await untilReloaded(command);
  expect(command.output()).toContain('tasks.jsonl: reloading');
});

test('--json prints one event a line, and nothing of the author', async () => {
  const folder = await project();
  const command = run(['dev', 'math.ts', '--port', '0', '--json'], {}, folder);
  const [, url = ''] = await untilPrinted(command, /"event":"listening","url":"([^"]+)"/);
  await promptOf(url);
  await write(folder, 'export const version = ;\n');
  await untilPrinted(command, /"event":"error".*\n/);
  await setVersion(folder, 'two');
  await untilPrinted(command, /"event":"listening"[\s\S]*"event":"listening".*\n/);
  command.child.kill('SIGTERM');
  expect(await command.exit).toBe(0);
  const events = command
    .stdout()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const served = { url, environments: [{ name: 'math', splits: ['train'] }], toolkits: [] };
  expect(events).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ event: 'log', msg: 'limits in force' }),
      expect.objectContaining({ event: 'log', msg: 'request', url: '/math/prompt', status: 200 }),
      expect.objectContaining({ event: 'error', serving: true, file: join(folder, 'version.ts'), line: 1, column: 24 }),
      expect.objectContaining({ event: 'reloading', changed: [join(folder, 'version.ts')] }),
    ]),
  );
  expect(events.filter(({ event }) => event === 'listening')).toMatchObject([served, served]);
  expect(command.output()).toContain('the author prints two');
});

test('keys are asked for, and the code of the author does not see them', async () => {
  const folder = await project();
  const { command, url } = await develop(folder, [], { TILTYARD_API_KEYS: 'a-key' });
  expect(await promptOf(url, 'a-key')).toMatch(/^one no key /);
  expect((await fetch(`${url}/list_environments`)).status).toBe(401);
  await setVersion(folder, 'two');
  await untilReloaded(command);
  expect((await fetch(`${url}/list_environments`)).status).toBe(401);
});

test("an author's exception is logged with the place in the author's file, and no frames of ours", async () => {
  const folder = await project();
  const { command, url } = await develop(folder);
  const session = await openSession(url);
  await rejection(session.call('fail'));
  await untilPrinted(
    command,
    /error {2}tool 'fail' of environment 'math' failed.*\n {4}Error: a mistake of the author\n {8}at .*math\.ts:16:\d+\)\n(?! {8}at)/,
  );
});

test('a call has one line, with its outcome, and so has the end of a session', async () => {
  const folder = await project();
  const { command, url } = await develop(folder);
  const session = await openSession(url);
  const sid = session.sid.slice(0, 8);
  await session.call('look');
  await rejection(session.call('fail'));
  await session.close();
  await untilPrinted(command, new RegExp(`:\\d\\d {2}returned {2}look {2}[\\d.]+ ms {2}${sid}\n`));
  await untilPrinted(command, new RegExp(`:\\d\\d {2}env_error {2}fail {2}[\\d.]+ ms {2}${sid}\n`));
  await untilPrinted(command, new RegExp(`:\\d\\d {2}session ended: env_error {2}train 0 {2}2 calls {2}${sid}\n`));
  await untilPrinted(command, /POST \/delete_session/);
  expect(command.output()).not.toMatch(/\/math\/call|limits in force|Server listening/);
});

test('a port that is taken, or a file that is not there, ends the command with what to do', async () => {
  const folder = await project();
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const command = run(['dev', 'math.ts'], { PORT: String(port) }, folder);
  expect(await command.exit).toBe(1);
  expect(command.output()).toContain(`port ${port} is taken. Choose another port, or stop what uses it`);
  const misspelt = run(['dev', 'maths.ts'], {}, folder);
  expect(await misspelt.exit).toBe(1);
  expect(misspelt.output()).toContain('file not found: maths.ts');
});
