import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Grade, grade } from './grade.ts';
import { problems } from './problems.ts';
import { ownTemporaryDirectory } from './test-support/temporary.ts';
import { createWorkspace, removeWorkspace } from './workspace.ts';

const temporary = ownTemporaryDirectory();

test.each([
  ['prints to standard output', 'console.log(JSON.stringify({ index: 0, value: 1 })); export const fromRoman = 5;', 0],
  ['does not parse', 'export const =', 0],
  ['throws at once', 'throw new Error("no");', 0],
  ['exits at once', 'process.exit(0);', 0],
  ['exports something else', 'export const toRoman = () => 1;', 0],
  ['throws for some', 'export const fromRoman = (n) => { if (n !== "I") throw n; return 1; };', 1],
  ['is asynchronous', 'export const fromRoman = async (n) => n.length;', 2],
  ['returns what JSON has not', 'export const fromRoman = () => 1n;', 0],
  ['returns strings', 'export const fromRoman = () => "1";', 0],
  ['keeps a timer', 'setInterval(() => {}, 1e6); export const fromRoman = () => 1;', 1],
])('a solution that %s', async (_what, content, passed) => {
  expect(await gradeRoman(content)).toEqual({ passed, total: 9 });
});

test('a solution that hangs keeps what it had passed', async () => {
  const content = 'export const fromRoman = (n) => { while (n !== "I"); return 1; };';
  expect(await gradeRoman(content, 1_000)).toEqual({ passed: 1, total: 9 });
});

test('a solution that writes to the channel of the results can only answer, and only once', async () => {
  const content = `
    import { writeSync } from 'node:fs';
    for (let value = 0; value < 4000; value++)
      for (let index = 0; index < 9; index++) writeSync(3, JSON.stringify({ index, value }) + '\\n');
    writeSync(3, '{"passed":9,"total":9,"ok":true}\\nnull\\n[]\\n');
    JSON.stringify = () => '{"index":1,"value":3}';
    export const fromRoman = () => 1;`;
  expect(await gradeRoman(content)).toEqual({ passed: 0, total: 9 });
});

test('the process that runs the solution is told the arguments, and nothing else', async () => {
  const content = `
    import { writeFileSync } from 'node:fs';
    const seen = [];
    export function fromRoman(...args) {
      seen.push(args);
      writeFileSync('../seen.json', JSON.stringify({ seen, argv: process.argv.slice(2), env: Object.keys(process.env) }));
    }`;
  await gradeRoman(content);
  const path = join(temporary.path, 'seen.json');
  const { seen, argv, env } = JSON.parse(await readFile(path, 'utf8'));
  await rm(path);
  expect(seen).toEqual(problems.roman.tests.map(([args]) => args));
  expect(argv).toEqual([]);
  expect(env.sort()).toEqual(['HOME', 'LANG', 'PATH', 'TMPDIR']);
});

async function gradeRoman(content: string, timeMs = 10_000): Promise<Grade> {
  const directory = await createWorkspace({ 'solution.mjs': content });
  try {
    return await grade(problems.roman, { directory, timeMs, signal: new AbortController().signal });
  } finally {
    await removeWorkspace(directory);
  }
}
