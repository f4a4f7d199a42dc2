import { mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MAIN, ROOT } from '../support/command.ts';
import { readText } from '../support/documents.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runToEnd } from '../support/program.ts';
import { keys, runInTerminal } from '../support/pty.ts';
import { type Ended, runHere } from '../support/run-here.ts';

const COMMON = ['.dockerignore', '.gitignore', 'README.md', 'package.json', 'tsconfig.json'] as const;
const FILES = {
  environment: [...COMMON, 'environment.test.ts', 'environment.ts'],
  toolkit: [...COMMON, 'toolkit.test.ts', 'toolkit.ts'],
} as const;

/** An empty folder outside the repository; it goes when the test ends. */
const emptyFolder = () => temporaryFolder('tiltyard-new-');

function runNew(cwd: string, ...args: string[]): Promise<Ended> {
  return runHere(['new', ...args], {}, cwd);
}

describe('a project', () => {
  test('carries its name in the forms that it needs, and no word of the template', async () => {
    const folder = emptyFolder();
    for (const kind of ['environment', 'toolkit'] as const) {
      expect(await runNew(folder, kind, '--kind', kind, '--name', 'word-game')).toMatchObject({ code: 0 });
      const texts = await Promise.all(FILES[kind].map((file) => readFile(join(folder, kind, file), 'utf8')));
      expect(texts.join('\n')).not.toMatch(/template/i);
      expect(JSON.parse(texts[FILES[kind].indexOf('package.json' as never)] ?? '')).toMatchObject({
        name: 'word-game',
      });
    }
    const environment = await readFile(join(folder, 'environment/environment.ts'), 'utf8');
    expect(environment).toContain("wordGameEnvironment = environment({\n  name: 'word-game',");
    const toolkit = await readFile(join(folder, 'toolkit/toolkit.ts'), 'utf8');
    expect(toolkit).toContain("wordGameToolkit = toolkit({ name: 'WordGame',");
  });

  test('keeps keys and secrets out of git', async () => {
    const folder = emptyFolder();
    expect(await runNew(folder, 'word-game')).toMatchObject({ code: 0 });
    const project = join(folder, 'word-game');
    await runToEnd(project, 'git', ['init', '-q']);
    for (const name of ['.env', '.env.local', 'keys.json']) await writeFile(join(project, name), 'sk-secret');
    const { text } = await runToEnd(project, 'git', ['status', '--short', '--untracked-files=all']);
    expect(text).toContain('package.json');
    expect(text).not.toMatch(/\.env|keys\.json/);
  });

  test('keeps runs, records and journals out of git', async () => {
    const folder = emptyFolder();
    expect(await runNew(folder, 'word-game')).toMatchObject({ code: 0 });
    const ignored = (await readFile(join(folder, 'word-game/.gitignore'), 'utf8')).split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['runs/', 'data/']));
  });

  test('depends on the clone that made it, and names itself after its folder', async () => {
    const folder = emptyFolder();
    const { code, stdout, output } = await runNew(folder, 'games/WordGame');
    expect(code).toBe(0);
    const manifest = JSON.parse(await readFile(join(folder, 'games/WordGame/package.json'), 'utf8'));
    expect(manifest.name).toBe('word-game');
    const [, path = ''] = /^file:(.*)$/.exec(manifest.dependencies.tiltyard) ?? [];
    expect(resolve(await realpath(join(folder, 'games/WordGame')), path)).toBe(resolve(ROOT));
    expect(stdout).toContain('  cd games/WordGame\n  npm install\n');
    expect(output).not.toContain('\x1b');
  });

  test('goes into the folder where one stands, also after git init', async () => {
    const folder = emptyFolder();
    await mkdir(join(folder, 'here/.git'), { recursive: true });
    const { code, output, stdout } = await runNew(join(folder, 'here'), '.');
    expect(code, output).toBe(0);
    expect((await readdir(join(folder, 'here'))).sort()).toEqual(['.git', ...FILES.environment].sort());
    expect(stdout).toContain('the environment here:');
    expect(stdout).not.toContain('cd ');
  });

  test('is told to programs as one line of JSON', async () => {
    const folder = emptyFolder();
    const { code, stdout } = await runNew(folder, 'weather', '--kind', 'toolkit', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      folder: expect.stringMatching(/\/weather$/),
      kind: 'toolkit',
      name: 'weather',
      files: [...FILES.toolkit].sort(),
    });
  });
});

test('what docs/command-line.md shows is what is printed', async () => {
  const block = /```console\n\$ npx tiltyard new (.*)\n([^`]*)```/.exec(readText('docs/command-line.md')) ?? [];
  const [, args = '', printed] = block;
  expect(await runNew(emptyFolder(), ...args.split(' '))).toMatchObject({ code: 0, stdout: printed });
});

describe('what cannot be', () => {
  test.each<[what: string, args: string[], message: string]>([
    ['a folder that holds something', ['full'], 'full is not empty: it contains precious.txt'],
    ['a file', ['file'], 'file is not a folder'],
    ['a path through a file', ['file/project'], 'is inside a file'],
    ['no folder, without a terminal', [], 'tiltyard new my-project'],
    ['a folder without letters', ['2048'], 'add --name'],
    ['a name with a space', ['x', '--name', 'Word Game'], 'Try word-game'],
    ['a name that is a path of the server', ['x', '--name', 'health'], '/health is a path of the server'],
    ['a folder named like such a path', ['create'], '/create is a path of the server'],
    ['the name of a package that it needs', ['x', '--name', 'tiltyard'], 'choose another name'],
    ['a name that is too long', ['x', '--name', 'x'.repeat(41)], 'at most 40 characters'],
    ['a kind that is not there', ['x', '--kind', 'robot'], 'environment, toolkit'],
  ])('%s is refused with what to do, and nothing is written', async (_what, args, message) => {
    const folder = emptyFolder();
    await mkdir(join(folder, 'full'));
    await writeFile(join(folder, 'full/precious.txt'), 'mine');
    await writeFile(join(folder, 'file'), 'mine');
    const { code, output } = await runNew(folder, ...args);
    expect(code).toBe(2);
    expect(output).toContain(message);
    expect(await readdir(folder, { recursive: true })).toHaveLength(3);
  });

  test('a toolkit is in no path, and may be named like one', async () => {
    expect(await runNew(emptyFolder(), 'tools', '--kind', 'toolkit')).toMatchObject({ code: 0 });
  });

  test.skipIf(process.platform === 'win32').each([
    ['a folder that is made', 'deep/down/project'],
    ['a folder that is there', '.'],
  ])('when a file cannot be written, nothing is left behind in %s', async (_what, target) => {
    const folder = emptyFolder();
    // Files of more than one block cannot be written: the first ones can, and a longer one fails.
    const script = `ulimit -f 1; exec "${process.execPath}" "${MAIN}" new ${target} --name project`;
    const { code, text } = await runToEnd(folder, 'bash', ['-c', script]);
    expect(code).toBe(1);
    expect(text).toContain(`could not create the project in ${target}`);
    expect(text).toContain('EFBIG');
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('the wizard', () => {
  test('asks for the folder, the kind and the name', async () => {
    const folder = emptyFolder();
    const screen = runInTerminal(['new'], {}, folder);
    await screen.until(/Where should the project go\?/);
    screen.type(`weather-station${keys.enter}`);
    await screen.until(/What do you want to write\?/);
    screen.type(keys.down);
    await screen.until(/● toolkit/);
    screen.type(keys.enter);
    await screen.until(/What is its name\?/);
    screen.type(`Big Weather${keys.enter}`);
    await screen.until(/Try big-weather/);
    screen.type('\x7f'.repeat('Big Weather'.length));
    screen.type(`big-weather${keys.enter}`);
    await screen.until(/Created the toolkit big-weather in weather-station/);
    await screen.until(/npm run dev/);
    expect(await screen.exit).toBe(0);
    expect((await readdir(join(folder, 'weather-station'))).sort()).toEqual([...FILES.toolkit].sort());
  });

  test('takes its suggestions for an empty answer, and does not ask for what was given', async () => {
    const folder = emptyFolder();
    const screen = runInTerminal(['new', 'capitals', '--kind', 'environment'], {}, folder);
    await screen.until(/What is its name\?/);
    screen.type(keys.enter);
    await screen.until(/Created the environment capitals in capitals/);
    expect(await screen.exit).toBe(0);
    expect(screen.text()).not.toContain('Where should');
    expect(screen.text()).not.toContain('What do you want');
  });

  test('asks again when the folder holds something', async () => {
    const folder = emptyFolder();
    await writeFile(join(folder, 'precious.txt'), 'mine');
    const screen = runInTerminal(['new'], {}, folder);
    await screen.until(/Where should the project go\?/);
    screen.type(`.${keys.enter}`);
    await screen.until(/is not empty/);
    screen.type(`/../fine${keys.enter}`);
    await screen.until(/What do you want to write\?/);
  });

  test.each([
    ['Ctrl-C', keys.interrupt],
    ['Escape', '\x1b'],
  ])('%s ends it with exit code 130, and nothing is left behind', async (_key, key) => {
    const folder = emptyFolder();
    const screen = runInTerminal(['new', 'capitals'], {}, folder);
    await screen.until(/What do you want to write\?/);
    screen.type(keys.enter);
    await screen.until(/What is its name\?/);
    screen.type(key);
    await screen.until(/cancelled; nothing was created/);
    expect(await screen.exit).toBe(130);
    expect(await readdir(folder)).toEqual([]);
  });

  test('--yes asks nothing, also on a terminal', async () => {
    const folder = emptyFolder();
    const screen = runInTerminal(['new', 'capitals', '--yes'], { NO_COLOR: '1' }, folder);
    await screen.until(/npm run dev/);
    expect(await screen.exit).toBe(0);
    expect(screen.raw()).not.toContain('\x1b');
  });
});
