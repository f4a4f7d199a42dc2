import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith, run } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runHere } from '../support/run-here.ts';

const FILES = {
  'syntax.ts': 'export const a = {\n  b: 1,\n  c = 2,\n};\n',
  'syntax.mjs': 'export const a = {\n  b: 1,\n  c = 2,\n};\n',
  'throws.ts': 'interface Erased {\n  a: number;\n}\nconst foo: any = undefined;\nexport const bar = foo.baz;\n',
  'imports.ts': "import './syntax.ts';\n",
  'misnamed.ts': "import { nope } from './named.ts';\nconsole.log(nope);\n",
  'named.ts': 'export const named = 1;\n',
  'definition.ts': `import { environment } from 'tiltyard';
export const broken =
  environment({ name: 'broken', splits: {}, prompt: () => '', tools: {} });
`,
};

test.each([
  ['syntax.ts', 'syntax.ts:3:5  SyntaxError: Unexpected "="', '> 3 |   c = 2,\n    |     ^\n  4 | };'],
  ['syntax.mjs', 'syntax.mjs:3:3  SyntaxError: Invalid shorthand property initializer', '> 3 |   c = 2,'],
  ['throws.ts', 'throws.ts:5:24  TypeError: Cannot read properties of undefined', '> 5 | export const bar = foo.baz;'],
  ['imports.ts', 'syntax.ts:3:5  SyntaxError: Unexpected "="', '> 3 |   c = 2,'],
  ['misnamed.ts', 'misnamed.ts:1:10  SyntaxError: The requested module', "> 1 | import { nope } from './named.ts';"],
  ['definition.ts', "definition.ts:3:3  DefinitionError: environment 'broken' has no splits", '> 3 |   environment({'],
])('serve shows where %s is wrong, with the line and no stack', async (name, place, frame) => {
  const folder = await folderWith(FILES);
  const server = run(['serve', name, '--port', '0'], {}, folder);
  expect(await server.exit).toBe(1);
  expect(server.output()).toContain(`tiltyard: ${name} could not be loaded`);
  expect(server.output()).toContain(`\n${place}`);
  expect(server.output()).toContain(frame);
  expect(server.output()).not.toMatch(/\n\s+at /);
  expect(server.output()).not.toContain('\x1b');
});

test.each([
  ['.', '. is a folder. Name a file that exports what to serve, such as environment.ts'],
  ['notes.md', 'notes.md is not a module. Name a TypeScript or JavaScript file, such as math.ts'],
  ['nothing.mjs', 'file not found: nothing.mjs'],
])('serve says what to name instead of %s', async (name, message) => {
  const folder = await folderWith({ 'notes.md': '', 'environment.test.ts': '', 'environment.ts': '' });
  const { code, output } = await runHere(['serve', name, '--port', '0'], {}, folder);
  expect(output).toContain(`tiltyard: ${message}`);
  expect(code).toBe(1);
});

test.each([
  ['zod', 'npm install zod'],
  ['@acme/tools/deep', 'npm install @acme/tools'],
])('serve says how to install %s where it is missing', async (name, command) => {
  // Outside of the repository, which has zod.
  const folder = temporaryFolder('tiltyard-test-');
  await writeFile(join(folder, 'math.mts'), `import { z } from '${name}';\nexport const math = z;\n`);
  const server = run(['serve', 'math.mts'], {}, folder);
  expect(await server.exit).toBe(1);
  expect(server.output()).toContain(`math.mts:1  Cannot find package '${name.replace('/deep', '')}`);
  expect(server.output()).toContain(`Install it: ${command}\n`);
});

test('TILTYARD_DEBUG=1 adds the stack', async () => {
  const folder = await folderWith(FILES);
  const server = run(['serve', join(folder, 'throws.ts')], { TILTYARD_DEBUG: '1' });
  expect(await server.exit).toBe(1);
  expect(server.output()).toMatch(/\n\s+at .*throws\.ts:5:24/);
});
