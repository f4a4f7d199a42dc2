import { existsSync, readFileSync, statSync } from 'node:fs';
import { chmod, copyFile, cp, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ROOT } from './support/command.ts';
import { temporaryFolder } from './support/folder.ts';
import { type Ended, runToEnd } from './support/program.ts';

// Long enough that a reader would see half of it, if it were written in place.
const long = (letter: string) => `export const long: string = '${letter.repeat(1_000_000)}';\n`;

/** A small package that is built as this one is; it goes when the test ends. */
async function makeClone(): Promise<string> {
  const clone = temporaryFolder('.tmp-clone-', ROOT);
  await mkdir(join(clone, 'src/cli'), { recursive: true });
  await cp(join(ROOT, 'scripts'), join(clone, 'scripts'), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  for (const file of ['package.json', 'tsconfig.json', 'tsconfig.build.json'])
    await copyFile(join(ROOT, file), join(clone, file));
  await writeFile(join(clone, 'src/cli/main.ts'), "#!/usr/bin/env node\nconsole.log('first');\n");
  await writeFile(join(clone, 'src/long.ts'), long('x'));
  return clone;
}

function build(clone: string): Promise<Ended> {
  const { build: script } = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8')).scripts;
  return runToEnd(clone, 'sh', ['-c', script]);
}

const BUILT = { code: 0, text: '' };

/** Which files a build consists of: another one of the same name has another number. */
function numbersIn(clone: string): number[] {
  return ['dist/cli/main.js', 'dist/cli/main.d.ts', 'dist/long.js'].map((file) => statSync(join(clone, file)).ino);
}

test('the command can be run after each build, as npx runs it', async () => {
  const clone = await makeClone();
  const command = join(clone, 'dist/cli/main.js');
  expect(await build(clone)).toEqual(BUILT);
  expect(await runToEnd(clone, command, [])).toEqual({ code: 0, text: 'first\n' });
  await writeFile(join(clone, 'src/cli/main.ts'), "#!/usr/bin/env node\nconsole.log('second');\n");
  expect(await build(clone)).toEqual(BUILT);
  expect(await runToEnd(clone, command, [])).toEqual({ code: 0, text: 'second\n' });
  // As a copy to another disk may leave it.
  await chmod(command, 0o644);
  expect(await build(clone)).toEqual(BUILT);
  expect(await runToEnd(clone, command, [])).toEqual({ code: 0, text: 'second\n' });
});

test('a build that is up to date is left as it is', async () => {
  const clone = await makeClone();
  await build(clone);
  const numbers = numbersIn(clone);
  // Tests are not part of it, and a checkout gives files new times.
  await writeFile(join(clone, 'src/main.test.ts'), 'export {};\n');
  await writeFile(join(clone, 'src/long.ts'), long('x'));
  expect(await build(clone)).toEqual(BUILT);
  expect(numbersIn(clone)).toEqual(numbers);
});

test('what was removed from the sources, or from the build, is noticed', async () => {
  const clone = await makeClone();
  await build(clone);
  await rm(join(clone, 'src/long.ts'));
  await rm(join(clone, 'dist/cli/main.d.ts'));
  expect(await build(clone)).toEqual(BUILT);
  expect((await readdir(join(clone, 'dist'))).filter((name) => !name.startsWith('.'))).toEqual(['cli']);
  expect((await readdir(join(clone, 'dist/cli'))).sort()).toEqual(['main.d.ts', 'main.js', 'main.js.map']);
});

test('sources that do not compile leave the last build in place', async () => {
  const clone = await makeClone();
  await build(clone);
  await writeFile(join(clone, 'src/long.ts'), "export const long: number = 'x';\n");
  const { code, text } = await build(clone);
  expect(text).toContain('src/long.ts');
  expect(code).not.toBe(0);
  expect(readFileSync(join(clone, 'dist/long.js'), 'utf8')).toContain('xxx');
  expect((await readdir(clone)).filter((name) => name.startsWith('.tmp'))).toEqual([]);
  expect((await build(clone)).code).not.toBe(0);
});

test('whoever reads during a rebuild finds every file, and each whole', async () => {
  const clone = await makeClone();
  const file = join(clone, 'dist/long.js');
  await build(clone);
  const before = readFileSync(file, 'utf8');
  await writeFile(join(clone, 'src/long.ts'), long('y'));
  let isBuilding = true;
  const building = build(clone).finally(() => (isBuilding = false));
  const seen = new Set<string>();
  while (isBuilding) {
    seen.add(existsSync(file) ? readFileSync(file, 'utf8') : 'missing');
    await turn();
  }
  expect(await building).toEqual(BUILT);
  expect(seen.size).toBeLessThanOrEqual(2);
  expect([before, readFileSync(file, 'utf8')]).toEqual(expect.arrayContaining([...seen]));
  expect(readFileSync(file, 'utf8')).toContain('yyy');
});

test('builds at the same time share the work and do not break each other', async () => {
  const clone = await makeClone();
  expect(await Promise.all([build(clone), build(clone), build(clone)])).toEqual([BUILT, BUILT, BUILT]);
  expect(await runToEnd(clone, join(clone, 'dist/cli/main.js'), [])).toEqual({ code: 0, text: 'first\n' });
  expect((await readdir(clone)).filter((name) => name.startsWith('.tmp'))).toEqual([]);
  // One that was killed leaves a lock behind.
  await writeFile(join(clone, '.tmp-build.lock'), '999999999');
  await writeFile(join(clone, 'src/long.ts'), 'export {};\n');
  expect(await build(clone)).toEqual(BUILT);
});
