import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { eventually } from '../support/client.ts';
import { folderWith, ROOT, run, untilPrinted } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';

// Each loads TypeScript in several processes, one after the other.
vi.setConfig({ testTimeout: 60_000 });

const MATH = `
import { environment } from 'tiltyard';
import { answer } from './answer.ts';
export const math = environment({
  name: 'math',
  splits: { train: [{}] },
  prompt: () => String(answer),
  tools: { look: { run: () => 'seen' } },
});`;

// Of the module alone, so that it takes no time.
const TSCONFIG = JSON.stringify({
  compilerOptions: { strict: true, noEmit: true, module: 'nodenext', target: 'es2022', types: [], skipLibCheck: true },
  files: ['answer.ts'],
});

const FILES = { 'math.ts': MATH, 'answer.ts': 'export const answer: number = 42;\n', 'tsconfig.json': TSCONFIG };

const listening = /listening on http:\/\/localhost:\d+/;

test('type errors are shown beside the reload, and so is their end', async () => {
  const folder = await folderWith(FILES);
  const dev = run(['dev', 'math.ts', '--port', '0'], {}, folder);
  await untilPrinted(dev, listening);
  await writeFile(join(folder, 'answer.ts'), "export const answer: number = 'forty-two';\n");
  await untilPrinted(
    dev,
    /1 type error:\n {2}answer\.ts:1:14 {2}TS2322: Type 'string' is not assignable to type 'number'/,
  );
  expect(dev.output()).toMatch(/reloaded, listening/);
  await writeFile(join(folder, 'answer.ts'), 'export const answer: number = 43;\n');
  await untilPrinted(dev, /no type errors left/);
});

// A compiler that never ends, and that is a process of a process, as that of TypeScript 7 is.
const ENDLESS = `
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
appendFileSync('pids', process.pid + ' ' + child.pid + '\\n');
`;

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('a type check delays nothing, ends at the next change, and does not outlive the command', async () => {
  const folder = await folderWith(FILES);
  const compiler = join(folder, 'node_modules/typescript');
  await mkdir(compiler, { recursive: true });
  await writeFile(join(compiler, 'package.json'), '{"version":"0.0.0","type":"module","bin":{"tsc":"./tsc.js"}}');
  await writeFile(join(compiler, 'tsc.js'), ENDLESS);
  const pidsOf = (run: number): Promise<number[]> =>
    eventually(async () => {
      const line = (await readFile(join(folder, 'pids'), 'utf8')).split('\n')[run - 1];
      expect(line).toMatch(/\d+ \d+/);
      return (line ?? '').split(' ').map(Number);
    });
  const untilDead = (pids: readonly number[]) => eventually(() => expect(pids.filter(isAlive)).toEqual([]));

  const dev = run(['dev', 'math.ts', '--port', '0'], {}, folder);
  await untilPrinted(dev, listening);
  const first = await pidsOf(1);
  expect(first.every(isAlive)).toBe(true);
  await writeFile(join(folder, 'answer.ts'), 'export const answer: number = 43;\n');
  await untilPrinted(dev, /reloaded, listening/);
  await untilDead(first);
  const second = await pidsOf(2);
  expect(second.every(isAlive)).toBe(true);
  dev.child.kill('SIGINT');
  expect(await dev.exit).toBe(0);
  await untilDead(second);
});

test('without typescript one line says that types are not checked, and --json tells of it as of type errors', async () => {
  // Outside of the repository, which has a compiler.
  const folder = temporaryFolder('tiltyard-test-');
  const own = {
    ...FILES,
    'math.ts': MATH.replace("'tiltyard'", `'${ROOT}/dist/index.js'`),
    'package.json': '{"type":"module"}',
  };
  for (const [name, text] of Object.entries(own)) await writeFile(join(folder, name), text);
  const dev = run(['dev', 'math.ts', '--port', '0', '--json'], {}, folder);
  await untilPrinted(dev, /"event":"listening"/);
  expect(dev.stdout()).toMatch(
    /^\{"event":"warning","message":"Types are not checked: typescript is not installed here/,
  );
  const typed = await folderWith({ ...FILES, 'answer.ts': "export const answer: number = 'forty-two';\n" });
  const other = run(['dev', 'math.ts', '--port', '0', '--json'], {}, typed);
  const [line = ''] = await untilPrinted(other, /\{"event":"types".*\}/);
  expect(JSON.parse(line).errors).toEqual([
    { message: expect.stringMatching(/^TS2322: /), file: join(typed, 'answer.ts'), line: 1, column: 14 },
  ]);
});
