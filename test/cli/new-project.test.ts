import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MAIN, ROOT, untilPrinted } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runToEnd, startJob } from '../support/program.ts';
import { type Ended, runHere } from '../support/run-here.ts';

/** An empty folder outside the repository; it goes when the test ends. */
const emptyFolder = () => temporaryFolder('tiltyard-new-');

/** The same, where projects find the packages that are installed here. Inside the repository, their link to it is a loop. */
async function folderWithPackages(): Promise<string> {
  const folder = emptyFolder();
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

function runNew(cwd: string, ...args: string[]): Promise<Ended> {
  return runHere(['new', ...args], {}, cwd);
}

describe('a project', () => {
  test.each(['environment', 'toolkit'] as const)(
    'of the kind %s passes its own tests and type check',
    { timeout: 60_000 },
    async (kind) => {
      const folder = await folderWithPackages();
      expect(await runNew(folder, 'word-game', '--kind', kind, '--yes')).toMatchObject({ code: 0 });
      const project = join(folder, 'word-game');
      await mkdir(join(project, 'node_modules'));
      await symlink(ROOT, join(project, 'node_modules', 'tiltyard'));

      expect(await runToEnd(project, 'npm', ['run', 'check'])).toMatchObject({ code: 0 });
      const { code, text } = await runToEnd(project, 'npm', ['test']);
      expect(code, text).toBe(0);
      expect(text).toMatch(/pass 2\b/);
    },
  );

  test('stops in good order when npm start is told to', { timeout: 60_000 }, async () => {
    const folder = await folderWithPackages();
    expect(await runNew(folder, 'word-game')).toMatchObject({ code: 0 });
    const project = join(folder, 'word-game');
    await mkdir(join(project, 'node_modules/.bin'), { recursive: true });
    await symlink(ROOT, join(project, 'node_modules/tiltyard'));
    const command = `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`;
    await writeFile(join(project, 'node_modules/.bin/tiltyard'), command, { mode: 0o755 });
    const server = startJob(project, 'npm', ['start', '--', '--port', '0']);
    const [, url = ''] = await untilPrinted(server, /listening on (http:\/\/localhost:\d+)/);
    // To npm alone, as a supervisor does, and not to its group as a terminal would.
    server.child.kill('SIGTERM');
    expect(await server.exit, server.output()).toBe(0);
    expect(server.output()).toContain('SIGTERM: waiting up to');
    await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed');
  });

  test('has a type check that finds mistakes', { timeout: 60_000 }, async () => {
    const folder = await folderWithPackages();
    await runNew(folder, 'broken');
    await mkdir(join(folder, 'broken/node_modules'));
    await symlink(ROOT, join(folder, 'broken/node_modules/tiltyard'));
    const test = join(folder, 'broken/environment.test.ts');
    await writeFile(test, (await readFile(test, 'utf8')).replace('{ number: 50 }', "{ number: 'fifty' }"));
    const { code, text } = await runToEnd(join(folder, 'broken'), 'npm', ['run', 'check']);
    expect(code).not.toBe(0);
    expect(text).toContain("Type 'string' is not assignable to type 'number'");
  });
});
