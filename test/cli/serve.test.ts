import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DEFAULT_LIMITS } from 'tiltyard/server';
import { expect, onTestFinished, test } from 'vitest';
import { folderWith, ROOT, type Run, run, untilPrinted } from '../support/command.ts';
import { exchange } from '../support/raw.ts';
import { runHere } from '../support/run-here.ts';

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

// Where TypeScript is not the point: it takes as long to load as all the rest.
const IN_JAVASCRIPT = COUNTING.replace(/^interface .*$/m, '')
  .replace(' satisfies Task', '')
  .replace('TEARDOWNS!', 'TEARDOWNS');

const CALCULATOR = `
import { tool, toolkit } from 'tiltyard';
const add = tool({ description: 'Add.', input: { type: 'object' }, run: ({ a, b }) => a + b });
export const calculator = toolkit({ name: 'Calculator', tools: { Add: add } });`;

/** Pastes the curl line of the banner into a shell. */
async function runCurlLine({ output }: Run, env: NodeJS.ProcessEnv = {}): Promise<unknown> {
  const curl = /^ {2}(curl .*)$/m.exec(output())?.[1] ?? '';
  const pasted = spawn('bash', ['-c', curl], { env: { ...process.env, ...env } });
  let answer = '';
  pasted.stdout.on('data', (data) => (answer += data));
  await once(pasted, 'close');
  return JSON.parse(answer);
}

test('serve loads a TypeScript module, prints a curl line that works, and ends in good order on SIGTERM', async () => {
  const folder = await folderWith({ 'counting.ts': COUNTING });
  const teardowns = join(folder, 'teardowns');
  const server = run(['serve', join(folder, 'counting.ts'), '--port', '0'], { TEARDOWNS: teardowns });
  const [, base] = await untilPrinted(server, /listening on (http:\/\/localhost:\d+)/);
  await untilPrinted(server, /Stop with Ctrl-C/);
  expect(server.output()).toContain('counting');

  expect(await runCurlLine(server)).toEqual({ task: { n: 1 }, env_name: 'counting' });

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
  const folder = await folderWith({ 'counting.mjs': IN_JAVASCRIPT });
  const server = run(['serve', join(folder, 'counting.mjs'), '--port', '0', '--json']);
  const [line] = await untilPrinted(server, /^\{.*\}$/m);
  expect(JSON.parse(line)).toMatchObject({
    environments: [{ name: 'counting', splits: ['train'], tools: ['next', 'fail'] }],
  });
});

test('serve serves toolkits, alone as well, with a curl line that works with a key', async () => {
  const folder = await folderWith({ 'calculator.mjs': CALCULATOR });
  const server = run(['serve', join(folder, 'calculator.mjs'), '--port', '0'], { TILTYARD_API_KEYS: 'a-key' });
  const [, base] = await untilPrinted(server, /listening on (http:\/\/localhost:\d+)/);
  await untilPrinted(server, /Stop with Ctrl-C/);
  expect(server.output()).toContain('  Calculator  toolkit: Calculator.Add\n');
  expect(await runCurlLine(server, { KEY: 'a-key' })).toMatchObject({ items: [{ id: 'Calculator.Add@1.0.0' }] });
  const body = JSON.stringify({ request: { tool_id: 'Calculator.Add', input: { a: 1, b: 2 } } });
  const headers = { 'oxp-api-key': 'a-key', 'content-type': 'application/json' };
  const answer = await fetch(`${base}/tools/call`, { method: 'POST', headers, body });
  expect(await answer.json()).toMatchObject({ result: { success: true, value: 3 } });
});

test('serve serves environments and toolkits side by side', async () => {
  const folder = await folderWith({ 'counting.mjs': IN_JAVASCRIPT, 'calculator.mjs': CALCULATOR });
  const modules = ['counting.mjs', 'calculator.mjs'].map((name) => join(folder, name));
  const server = run(['serve', ...modules, '--port', '0', '--json']);
  const [line] = await untilPrinted(server, /^\{.*\}$/m);
  const { url, ...served } = JSON.parse(line) as { url: string };
  expect(served).toEqual({
    environments: [{ name: 'counting', splits: ['train'], tools: ['next', 'fail'] }],
    toolkits: [{ name: 'Calculator', tools: ['Calculator.Add'] }],
    limits: DEFAULT_LIMITS,
  });
  expect(await (await fetch(`${url}/list_environments`)).json()).toEqual(['counting']);
  expect(await (await fetch(`${url}/tools`)).json()).toMatchObject({ items: [{ name: 'Calculator_Add' }] });
});

test('a port that is taken gives a clear message and exit code 1', async () => {
  const folder = await folderWith({ 'counting.mjs': IN_JAVASCRIPT });
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const server = run(['serve', join(folder, 'counting.mjs')], { PORT: String(port) });
  expect(await server.exit).toBe(1);
  expect(server.output()).toContain(`port ${port} is taken`);
});

test('an address that others reach needs API keys or --no-auth, and keys are asked for', async () => {
  const folder = await folderWith({ 'counting.mjs': IN_JAVASCRIPT });
  const path = join(folder, 'counting.mjs');
  const refused = run(['serve', path, '--host', '0.0.0.0', '--port', '0']);
  expect(await refused.exit).toBe(2);
  for (const name of ['API_KEYS', 'API_KEYS_FILE', 'JWT_SECRET', 'JWT_SECRET_FILE'])
    expect(refused.output()).toMatch(new RegExp(`TILTYARD_${name}\\b`));

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

test('--allow-host and --allow-origin open a server without keys to a name and a page', async () => {
  const folder = await folderWith({ 'counting.mjs': IN_JAVASCRIPT });
  const path = join(folder, 'counting.mjs');
  const options = ['--allow-host', 'envs.test', '--allow-host', '*.test', '--allow-origin', 'https://app.test'];
  const server = run(['serve', path, '--port', '0', ...options]);
  const [, base = ''] = await untilPrinted(server, /listening on (http:\/\/localhost:\d+)/);
  const statusOf = async (headers: string[]) =>
    (await exchange({ url: base }, ['GET /health HTTP/1.1', ...headers, '', ''].join('\r\n'))).status;
  expect(await statusOf(['Host: envs.test'])).toBe(200);
  expect(await statusOf(['Host: sessions.envs.test'])).toBe(200);
  expect(await statusOf(['Host: evil.example'])).toBe(421);
  expect(await statusOf(['Host: localhost', 'Origin: https://app.test'])).toBe(200);
  expect(await statusOf(['Host: localhost', 'Origin: https://evil.example'])).toBe(403);
});

test.each([
  [['--allow-host', 'http://envs:8080'], '--allow-host[0] must be a host name or address without scheme and port'],
  [['--allow-origin', 'app.test'], '--allow-origin[0] must be an origin without path'],
])('%j is a misuse', async (options, message) => {
  const command = run(['serve', 'nope.ts', ...options]);
  expect(await command.exit).toBe(2);
  expect(command.output()).toContain(message);
});

test.each([
  ['a file that is not there', 'nope.ts', 'file not found: nope.ts'],
  ['a module that exports nothing to serve', 'vitest.config.ts', 'does not export an environment or a toolkit'],
])('%s gives a message that helps, and exit code 1', async (_what, module, message) => {
  const command = run(['serve', module]);
  expect(await command.exit).toBe(1);
  expect(command.output()).toContain(message);
  expect(command.output()).not.toMatch(/\n\s+at /);
});

test.each([
  ['no module', ['serve'], "missing required argument 'module'"],
  ['a port that is no port', ['serve', 'x.ts', '--port', 'abc'], 'from 0 to 65535'],
  ['a log level that is none', ['serve', 'x.ts', '--log-level', 'loud'], 'Allowed choices are trace, debug'],
  ['errors shown in no known way', ['serve', 'x.ts', '--return-errors', 'some'], 'Allowed choices are none'],
  ['a command that is not there', ['nope'], "unknown command 'nope'"],
])('%s gives a message that helps, and exit code 2', async (_what, args, message) => {
  const { code, output } = await runHere(args);
  expect(output).toContain(message);
  expect(output).not.toMatch(/\n\s+at /);
  expect(code).toBe(2);
});

test.each(['abc', '1e3', '65536', ' '])('PORT=%j gives a message that helps, and exit code 2', async (PORT) => {
  const { code, output } = await runHere(['serve', 'examples/hello/environment.ts'], { PORT });
  expect(code).toBe(2);
  expect(output).toContain(`PORT must be a number from 0 to 65535, not '${PORT}'`);
});

test('serve --mcp prints the addresses that agents use', async () => {
  const folder = await folderWith({ 'counting.mjs': IN_JAVASCRIPT, 'calculator.mjs': CALCULATOR });
  const modules = [join(folder, 'counting.mjs'), join(folder, 'calculator.mjs')];
  const server = run(['serve', ...modules, '--port', '0', '--mcp'], { TEARDOWNS: join(folder, 'teardowns') });
  const [, base] = await untilPrinted(server, /listening on (http:\/\/localhost:\d+)/);
  await untilPrinted(server, /Stop with Ctrl-C/);
  expect(server.output()).toContain(
    `Let agents act over MCP:\n  ${base}/mcp/counting?episode=1\n  ${base}/mcp/tools\n`,
  );
  const told = run(['serve', ...modules, '--port', '0', '--mcp', '--json'], { TEARDOWNS: join(folder, 'teardowns') });
  await untilPrinted(told, /\n/);
  const { url, mcp } = JSON.parse(told.stdout());
  expect(mcp).toEqual([`${url}/mcp/counting?episode=1`, `${url}/mcp/tools`]);
});

test('a definition mistake names the environment and the fix', async () => {
  const folder = await folderWith({
    'broken.ts': `import { environment } from 'tiltyard';\nexport const broken = environment({ name: 'broken', splits: {}, prompt: () => '', tools: {} });`,
  });
  const server = run(['serve', join(folder, 'broken.ts')]);
  expect(await server.exit).toBe(1);
  expect(server.output()).toContain("environment 'broken' has no splits. Add at least one");
});

const COMMANDS = [
  'new',
  'dev',
  'serve',
  'tasks',
  'tools',
  'call',
  'play',
  'mcp',
  'check',
  'bench',
  'journal',
  'limits',
];

test('--help lists the commands, a line or two for each', async () => {
  const { code, output } = await runHere(['--help']);
  expect(code).toBe(0);
  for (const name of COMMANDS) expect(output).toMatch(new RegExp(`^  ${name} +[A-Z]`, 'm'));
});

test.each(COMMANDS)('%s --help shows how it is used, with an example, on a terminal of 80 columns', async (name) => {
  const { code, output } = await runHere([name, '--help']);
  expect(code).toBe(0);
  const [prose = '', examples] = output.split('\nExamples:\n');
  expect(prose).toContain(`Usage: tiltyard ${name}`);
  expect(prose.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(examples).toContain(`  tiltyard ${name}`);
});

// `examples/` is not in the package; these are the files of a project that `tiltyard new` makes, and of an agent of one's own.
const FILES = new Set(['environment.ts', 'toolkit.ts', 'agent.ts']);

test.each([...COMMANDS, 'run', 'runs', 'replay', 'studio', 'mock'])(
  'the examples of %s --help name only modules that a new project has',
  async (name) => {
    const { output } = await runHere([name, '--help']);
    const modules = output.match(/[\w./-]+\.ts\b/g) ?? [];
    expect(modules.filter((path) => !FILES.has(path.replace(/^\.\//, '')))).toEqual([]);
  },
);

test('a module in a CommonJS project is refused with what to do', async () => {
  const folder = await folderWith({ 'package.json': '{"type":"commonjs"}', 'counting.ts': COUNTING });
  const server = run(['serve', join(folder, 'counting.ts'), '--port', '0']);
  expect(await server.exit).toBe(1);
  expect(server.output()).toContain('Add "type": "module" to its package.json, or rename it to .mts');
  expect(server.output()).not.toContain('cycle');
});

// The other commands are told by examples, and --help has the rest.
test.each(['new', 'dev', 'serve', 'studio', 'check', 'bench', 'limits'])(
  'docs/command-line.md names every option of tiltyard %s',
  async (name) => {
    const { output } = await runHere([name, '--help']);
    const options = [...output.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, option = '']) => option);
    const sections = readFileSync(join(ROOT, 'docs/command-line.md'), 'utf8').split(/^## tiltyard /m);
    const section = sections.find((each) => each.startsWith(`${name}\n`)) ?? '';
    expect(options.filter((option) => option !== '--help' && !section.includes(option))).toEqual([]);
    expect(options.length).toBeGreaterThan(1);
  },
);
