import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

// The built command, as users run it: `npm test` builds first.
const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const ROOT = fileURLToPath(new URL('..', import.meta.url));

const COUNTING = `
import { appendFileSync } from 'node:fs';
import { environment, step, ToolError } from 'tiltyard';
interface Task { n: number }
export const counting = environment({
  name: 'Counting',
  splits: { train: [{ n: 1 } satisfies Task] },
  setup: () => ({ n: 0 }),
  prompt: ({ task }) => \`Count from \${task.n}.\`,
  tools: {
    next: { run: ({}, { state }) => step(String(++state.n), { reward: 1 }) },
    fail: { run() { throw new ToolError('read me'); } },
  },
  teardown: () => appendFileSync(process.env.TEARDOWNS!, 'teardown\\n'),
});`;

interface Run {
  readonly child: ChildProcess;
  /** Everything printed so far. */
  readonly output: () => string;
  readonly exit: Promise<number | null>;
}

function run(args: string[], env: NodeJS.ProcessEnv = {}): Run {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: ROOT, env: { ...process.env, ...env } });
  let output = '';
  child.stdout.on('data', (data) => (output += data));
  child.stderr.on('data', (data) => (output += data));
  const exit = once(child, 'close').then(([code]) => code as number | null);
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, output: () => output, exit };
}

async function untilPrinted({ output, exit, child }: Run, pattern: RegExp): Promise<RegExpExecArray> {
  let ended = false;
  void exit.then(() => (ended = true));
  for (;;) {
    const found = pattern.exec(output());
    if (found !== null) return found;
    if (ended) throw new Error(`ended without printing ${pattern}:\n${output()}`);
    await Promise.race([
      once(child.stdout as NodeJS.ReadableStream, 'data'),
      once(child.stderr as NodeJS.ReadableStream, 'data'),
      exit,
    ]);
  }
}

/** A folder inside the repository, so that a module in it finds the package by name. */
async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(ROOT, '.tmp-cli-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

test('serve loads a TypeScript module, prints a curl line that works, and ends in good order on SIGTERM', async () => {
  const folder = await folderWith({ 'counting.ts': COUNTING });
  const teardowns = join(folder, 'teardowns');
  const server = run(['serve', join(folder, 'counting.ts'), '--port', '0'], { TEARDOWNS: teardowns });
  const [, base] = await untilPrinted(server, /listening on (http:\/\/localhost:\d+)/);
  await untilPrinted(server, /Stop with Ctrl-C/);
  expect(server.output()).toContain('counting');

  const curl = /^ {2}(curl .*)$/m.exec(server.output())?.[1] ?? '';
  const pasted = spawn('bash', ['-c', curl]);
  let answer = '';
  pasted.stdout.on('data', (data) => (answer += data));
  await once(pasted, 'close');
  expect(JSON.parse(answer)).toEqual({ task: { n: 1 }, env_name: 'counting' });

  const headers = { 'x-session-id': 'a', 'content-type': 'application/json' };
  await fetch(`${base}/create`, { method: 'POST', headers, body: '{"split":"train","index":0}' });
  const call = (name: string) =>
    fetch(`${base}/counting/call`, { method: 'POST', headers, body: JSON.stringify({ name, input: {} }) }).then(
      (response) => response.text(),
    );
  expect(await call('next')).toContain('"reward":1');
  // The module has its own import of the package: its ToolError must still be known.
  expect(await call('fail')).toContain(`"error":"Tool 'fail' failed: read me"`);

  server.child.kill('SIGTERM');
  expect(await server.exit).toBe(0);
  const { readFile } = await import('node:fs/promises');
  expect(await readFile(teardowns, 'utf8')).toBe('teardown\n');
});

test('serve --json prints one line that a program can read', async () => {
  const folder = await folderWith({ 'counting.ts': COUNTING });
  const server = run(['serve', join(folder, 'counting.ts'), '--port', '0', '--json']);
  const [line] = await untilPrinted(server, /^\{.*\}$/m);
  expect(JSON.parse(line)).toMatchObject({
    environments: [{ name: 'counting', splits: ['train'], tools: ['next', 'fail'] }],
  });
});

test('a port that is taken gives a clear message and exit code 1', async () => {
  const folder = await folderWith({ 'counting.ts': COUNTING });
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const server = run(['serve', join(folder, 'counting.ts')], { PORT: String(port) });
  expect(await server.exit).toBe(1);
  expect(server.output()).toContain(`port ${port} is taken`);
});

test('an address that others reach needs API keys or --no-auth, and keys are asked for', async () => {
  const folder = await folderWith({ 'counting.ts': COUNTING });
  const path = join(folder, 'counting.ts');
  const refused = run(['serve', path, '--host', '0.0.0.0', '--port', '0']);
  expect(await refused.exit).toBe(1);
  expect(refused.output()).toContain('TILTYARD_API_KEYS');

  const key = 'a-key-for-this-test';
  const server = run(['serve', path, '--port', '0'], { TILTYARD_API_KEYS: key });
  const [, base] = await untilPrinted(server, /listening on (http:\/\/localhost:\d+)/);
  const statuses = await Promise.all([
    fetch(`${base}/list_environments`),
    fetch(`${base}/list_environments`, { headers: { 'x-api-key': key } }),
    fetch(`${base}/health`),
  ]);
  expect(statuses.map(({ status }) => status)).toEqual([401, 200, 200]);
  expect(server.output()).not.toContain(key);
});

test.each([
  ['a file that is not there', ['serve', 'nope.ts'], 'there is no file nope.ts'],
  ['a module that exports no environment', ['serve', 'vitest.config.ts'], 'exports no environment'],
  ['no module', ['serve'], "missing required argument 'module'"],
  ['a port that is no port', ['serve', 'x.ts', '--port', 'abc'], 'from 0 to 65535'],
  ['a command that is not there', ['nope'], "unknown command 'nope'"],
])('%s gives a message that helps, and exit code 1', async (_what, args, message) => {
  const command = run(args);
  expect(await command.exit).toBe(1);
  expect(command.output()).toContain(message);
  expect(command.output()).not.toMatch(/\n\s+at /);
});

test('a definition mistake names the environment and the fix', async () => {
  const folder = await folderWith({
    'broken.ts': `import { environment } from 'tiltyard';\nexport const broken = environment({ name: 'broken', splits: {}, prompt: () => '', tools: {} });`,
  });
  const server = run(['serve', join(folder, 'broken.ts')]);
  expect(await server.exit).toBe(1);
  expect(server.output()).toContain("environment 'broken' has no splits. Add at least one");
});

test.each([['--help'], ['serve', '--help']])('%s %s shows how it is used', async (...args) => {
  const command = run(args.filter((arg) => arg !== undefined));
  expect(await command.exit).toBe(0);
  expect(command.output()).toContain('Usage: tiltyard');
});
