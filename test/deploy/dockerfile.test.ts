import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { MAIN, ROOT, untilPrinted } from '../support/command.ts';
import { readText } from '../support/documents.ts';
import { skipAloud } from '../support/needed.ts';
import { runToEnd, startJob } from '../support/program.ts';
import { pack, registryProblem } from '../support/tarball.ts';
import { toIgnored } from './ignore-file.ts';
import { buildImage, commandOf } from './image.ts';

const DOCKERFILE = 'deploy/Dockerfile';
const KEY = 'a-key-for-this-test';
const INSTALL_MS = 300_000;

// What must not get into an image, and what `docker build` finds in a folder where somebody works.
const STRAY = {
  'deploy/api-keys': KEY,
  '.env': `TILTYARD_API_KEYS=${KEY}`,
  'secrets/.env.production': 'x',
  '.git/config': 'x',
  'node_modules/stray/index.js': 'x',
};

const problem = await registryProblem();
if (problem !== undefined) skipAloud('the image of a project', problem);
const needsRegistry = problem === undefined ? '' : ` (skipped: ${problem})`;

test('new projects have the ignore file of the Dockerfile, for engines that do not look beside it', () => {
  expect(readText('templates/common/dockerignore')).toBe(readText(`${DOCKERFILE}.dockerignore`));
});

test('the ignore file keeps keys, history and installed packages out, and the project in', () => {
  const isIgnored = toIgnored(readText(`${DOCKERFILE}.dockerignore`));
  const project = ['environment.ts', 'package.json', 'tiltyard-0.1.0.tgz', 'tasks/environment.json', 'tasks/keys.ts'];
  expect(project.filter(isIgnored)).toEqual([]);
  const others = [...Object.keys(STRAY), 'config/keys.json', 'server.pem', 'tools/node_modules/x.js', 'npm-debug.log'];
  expect(others.filter((path) => !isIgnored(path))).toEqual([]);
});

describe.skipIf(problem !== undefined)(`the Dockerfile, followed without a container engine${needsRegistry}`, () => {
  let folder: string;
  let tarball: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tiltyard-image-'));
    tarball = await pack(folder);
  }, 60_000);

  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** A project of `tiltyard new` with a dependency on tiltyard, our files of deploy/, and what lies about. */
  async function newProject(dependency?: string): Promise<{ project: string; image: string }> {
    const home = await mkdtemp(join(folder, 'home-'));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    const [project, image] = [join(home, 'demo'), join(home, 'image')];
    expect(await runToEnd(home, process.execPath, [MAIN, 'new', 'demo', '--yes'])).toMatchObject({ code: 0 });
    await cp(join(ROOT, 'deploy'), join(project, 'deploy'), { recursive: true });
    if (dependency !== undefined) {
      await cp(tarball, join(project, basename(tarball)));
      const manifest = JSON.parse(await readFile(join(project, 'package.json'), 'utf8'));
      manifest.dependencies.tiltyard = dependency;
      await writeFile(join(project, 'package.json'), JSON.stringify(manifest));
    }
    for (const [name, text] of Object.entries(STRAY)) {
      await mkdir(join(project, name, '..'), { recursive: true });
      await writeFile(join(project, name), text);
    }
    await mkdir(image);
    return { project, image };
  }

  test.each(['with', 'without'])('makes a server of a project %s a lock file', { timeout: INSTALL_MS }, async (how) => {
    const { project, image: into } = await newProject(`file:${basename(tarball)}`);
    if (how === 'with') {
      const lock = ['install', '--package-lock-only', '--prefer-offline', '--no-audit'];
      expect(await runToEnd(project, 'npm', lock)).toMatchObject({ code: 0 });
    }
    const image = await buildImage(project, DOCKERFILE, into);
    const files = await readdir(image.home, { recursive: true });
    expect(files).toContain('environment.ts');
    expect(files.filter((file) => file in STRAY || /^(?:\.git|deploy|secrets)\//.test(file))).toEqual([]);
    // Without the development dependencies.
    expect(files).not.toContain('node_modules/typescript');

    const env = { PORT: '0', TILTYARD_API_KEYS_FILE: join(project, 'deploy/api-keys') };
    const server = startJob(image.home, 'env', commandOf(image, image.command, env));
    const [, url = ''] = await untilPrinted(server, /"url":"(http:[^"]+)"/);
    const { port } = new URL(url);
    expect(await (await fetch(`http://127.0.0.1:${port}/health`)).json()).toEqual({ status: 'ok' });
    const headers = { 'x-api-key': KEY };
    expect(await (await fetch(`http://127.0.0.1:${port}/list_environments`, { headers })).json()).toEqual(['demo']);
    const isHealthy = () => runToEnd(image.home, 'env', commandOf(image, image.healthCheck, { PORT: port }));
    expect(await isHealthy()).toMatchObject({ code: 0 });
    // To the process alone, as an engine does: it must be the server.
    server.child.kill('SIGTERM');
    expect(await server.exit, server.output()).toBe(0);
    expect(await isHealthy()).toMatchObject({ code: 1 });
  });

  test('fails when the dependency is a folder outside of the project', { timeout: INSTALL_MS }, async () => {
    const { project, image } = await newProject();
    await expect(buildImage(project, DOCKERFILE, image)).rejects.toThrow(/RUN ended with \d+:[\s\S]*tiltyard/);
  });
});
