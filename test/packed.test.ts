import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT, untilPrinted } from './support/command.ts';
import { linksOf } from './support/documents.ts';
import { skipAloud } from './support/needed.ts';
import { type Ended, runToEnd, startJob } from './support/program.ts';
import { pack, registryProblem } from './support/tarball.ts';

// Commands that end by themselves, as they are run beside `module.js` with production dependencies only.
const COMMANDS: readonly [args: string, shows: RegExp][] = [
  ['--help', /Usage: tiltyard/],
  ['--version', /^\d+\.\d+\.\d+$/m],
  ['new project --yes', /npm install/],
  ['tasks module.js', /doors[\s\S]*train/],
  ['tools module.js', /open[\s\S]*door/],
  ['call module.js open --input door=left', /reward +1/],
  ['play module.js --script game.json', /reward +1/],
  ['check module.js --active', /^ors +\d+ passed +none failed/m],
  ['check module.js --environment doors', /^env +\d+ passed +none failed/m],
  ['bench module.js --duration 500ms --warm-up 0s --connections 2', /calls\/s/],
  ['limits', /drainMs/],
];

const MODULE = `
import { environment, step } from 'tiltyard';
export const doors = environment({
  name: 'doors',
  splits: { train: [{ right: 'left' }] },
  prompt: () => 'Which door?',
  tools: {
    open: {
      description: 'Open a door.',
      input: { type: 'object', properties: { door: { type: 'string' } }, required: ['door'] },
      run: ({ door }, { task }) => step('Open.', { reward: door === task.right ? 1 : 0, finished: true }),
    },
  },
});`;

const GAME = {
  environment: 'doors',
  split: 'train',
  index: 0,
  calls: [{ tool: 'open', input: { door: 'left' }, reward: 1, finished: true }],
};

const INSTALL_MS = 300_000;

const problem = await registryProblem();
if (problem !== undefined) skipAloud('the package as it is installed', problem);
const needsRegistry = problem === undefined ? '' : ` (skipped: ${problem})`;

let folder: string;
let tarball: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tiltyard-packed-'));
  tarball = await pack(folder);
}, 60_000);

afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

describe('the tarball', () => {
  test('has nothing that publint would change', async () => {
    const bytes = await readFile(tarball);
    const pack = { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) };
    const { messages } = await publint({ pack, strict: true });
    expect(messages).toEqual([]);
  });

  test('has types that every resolution of modules finds', { timeout: 60_000 }, async () => {
    const attw = join(ROOT, 'node_modules/.bin/attw');
    const { code, text } = await runToEnd(ROOT, attw, [tarball, '--profile', 'esm-only', '--no-color']);
    expect(code, text).toBe(0);
  });

  test('has every file that package.json and the source maps name, and no tests', async () => {
    const root = await unpack();
    const { exports, bin } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    // Their names are subpaths, and not files.
    const targets = JSON.stringify([exports, bin]).replaceAll(/"[^"]*":/g, '');
    const named = [...targets.matchAll(/"\.\/([^"]+\.\w+)"/g)].map(([, path = '']) => path);
    expect(named).toContain('src/index.ts');
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
    const mapped = files.filter((file) => file.endsWith('.js.map')).flatMap((file) => sourcesOf(root, file));
    expect(mapped.length).toBeGreaterThan(100);
    for (const file of [...named, ...mapped]) expect(existsSync(join(root, file)), file).toBe(true);
    expect(files.filter((file) => /^(?:src|dist|examples)\/.*\.test\./.test(file))).toEqual([]);
  });

  test('has what its documents link to and show', async () => {
    const root = await unpack();
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
    const links = files
      .filter((file) => file.endsWith('.md'))
      .flatMap((file) => linksOf(file, readFileSync(join(root, file), 'utf8')).map(({ path }) => path));
    expect(links).toContain('docs/images/studio-play.png');
    expect(links.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

/** Where the tarball is unpacked; done once. */
async function unpack(): Promise<string> {
  const unpacked = join(folder, 'unpacked');
  if (existsSync(unpacked)) return join(unpacked, 'package');
  await mkdir(unpacked);
  expect(await runToEnd(unpacked, 'tar', ['xzf', tarball])).toEqual({ code: 0, text: '' });
  return join(unpacked, 'package');
}

function sourcesOf(root: string, map: string): string[] {
  const { sources } = JSON.parse(readFileSync(join(root, map), 'utf8')) as { sources: string[] };
  return sources.map((source) => join(dirname(map), source));
}

describe.skipIf(problem !== undefined)(`installed without development dependencies${needsRegistry}`, () => {
  let home: string;
  let installed: Ended;
  let command: string;

  beforeAll(async () => {
    home = join(folder, 'production');
    command = join(home, 'node_modules/.bin/tiltyard');
    await mkdir(home);
    await writeFile(join(home, 'package.json'), '{"private": true, "type": "module"}');
    await writeFile(join(home, 'module.js'), MODULE);
    await writeFile(join(home, 'game.json'), JSON.stringify(GAME));
    installed = await runToEnd(home, 'npm', ['install', '--omit=dev', '--prefer-offline', tarball]);
    expect(installed.code, installed.text).toBe(0);
  }, INSTALL_MS);

  test('no package of it asks for a newer Node than this one', () => {
    expect(installed.text).not.toContain('EBADENGINE');
  });

  test('the documentation is part of it', () => {
    expect(existsSync(join(home, 'node_modules/tiltyard/docs/environments.md'))).toBe(true);
  });

  test.each(COMMANDS)('tiltyard %s runs', { timeout: 60_000 }, async (args, shows) => {
    const { code, text } = await runToEnd(home, command, args.split(' '));
    expect(code, text).toBe(0);
    expect(text).toMatch(shows);
  });

  test.each([
    ['serve module.js --mcp --port 0', 'server'],
    ['mcp module.js', 'server'],
    ['run module.js --n 1 -- node agent.js', 'server'],
    ['tools http://127.0.0.1:9/mcp/tools', 'client'],
  ])('tiltyard %s says which package of MCP to install', { timeout: 60_000 }, async (args, needed) => {
    const { code, text } = await runToEnd(home, command, args.split(' '));
    expect(code, text).toBe(1);
    expect(text).toContain(`Run: npm install @modelcontextprotocol/${needed}`);
  });

  test('tiltyard serve serves a JavaScript module', async () => {
    const server = startJob(home, command, ['serve', 'module.js', '--port', '0']);
    const [, base] = await untilPrinted(server, /listening on (http:\/\/localhost:\d+)/);
    expect(await (await fetch(`${base}/list_environments`)).json()).toEqual(['doors']);
    server.interrupt();
    expect(await server.exit).toBe(0);
  });

  test("a project of one's own installs it as docs/installing.md says, and plays the environment of the README", {
    timeout: INSTALL_MS,
  }, async () => {
    const page = readFileSync(join(ROOT, 'docs/installing.md'), 'utf8');
    const [, name = '', others = ''] = /^npm install \.\.\/\S*\/(\S+\.tgz) (\S+) /m.exec(page) ?? [];
    expect([name, page]).toEqual([basename(tarball), expect.stringContaining(`\nnpm install tiltyard ${others}\n`)]);
    const project = join(folder, 'own');
    await mkdir(project);
    const npm = async (...args: string[]) => {
      const { code, text } = await runToEnd(project, 'npm', args);
      expect(code, text).toBe(0);
    };
    await npm('init', '-y');
    await npm('install', '--prefer-offline', tarball, others);
    await npm('pkg', 'set', 'type=module');
    const [, source = ''] = /^```ts\n(.*?)^```/ms.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];
    await writeFile(join(project, 'capitals.ts'), source);
    const bin = join(project, 'node_modules/.bin/tiltyard');
    const call = ['call', 'capitals.ts', 'submit', '--input', 'answer=Paris'];
    expect((await runToEnd(project, bin, call)).text).toMatch(/Correct![\s\S]*reward +1/);
    const example = 'node_modules/tiltyard/examples/hello/environment.ts';
    expect(page).toContain(`npx tiltyard play ${example}`);
    expect((await runToEnd(project, bin, ['tasks', example])).text).toContain('train');
  });

  test.each([
    { kind: 'environment', path: '/list_environments', says: '["demo"]', readme: '"reward":1,"finished":true' },
    { kind: 'toolkit', path: '/tools', says: '"Demo.Convert@1.0.0"', readme: '"success":true,"value":212' },
  ])('a new $kind installs, passes its tests and is served', { timeout: INSTALL_MS }, async (expected) => {
    const { kind, path, says, readme } = expected;
    // Not inside `home`, whose packages it would find.
    const elsewhere = join(folder, kind);
    await mkdir(elsewhere);
    const created = await runToEnd(elsewhere, command, ['new', 'demo', '--yes', '--kind', kind]);
    expect(created, created.text).toMatchObject({ code: 0 });
    const project = join(elsewhere, 'demo');
    const { dependencies } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8'));
    expect(resolve(project, dependencies.tiltyard.replace(/^file:/, ''))).toBe(tarball);
    for (const args of [['install', '--prefer-offline'], ['test'], ['run', 'check']]) {
      const { code, text } = await runToEnd(project, 'npm', args);
      expect(code, text).toBe(0);
    }

    // Unlike other shells, bash lets npm see the exit code of the server.
    const server = startJob(project, 'npm', ['run', 'dev', '--script-shell=bash', '--', '--port', '0']);
    const [, base = ''] = await untilPrinted(server, /(http:\/\/(?:localhost|127\.0\.0\.1):\d+)/);
    expect(await (await fetch(base + path)).text()).toContain(says);
    const pasted = (await readFile(join(project, 'README.md'), 'utf8')).split('```sh\n')[2]?.split('```')[0] ?? '';
    const answers = await runToEnd(project, 'bash', ['-c', pasted.replaceAll('localhost:8080', base)]);
    expect(answers.text).toContain(readme);
    server.interrupt();
    // The interrupt is npm's as well: if it hears of it after the server's end, it dies of it and has no code.
    expect([0, null], server.output()).toContain(await server.exit);
    expect(server.output()).toContain('Ending sessions');
  });
});
