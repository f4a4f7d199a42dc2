import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { runToEnd } from '../support/program.ts';
import { toIgnored } from './ignore-file.ts';

/** What a Dockerfile makes, in a folder instead of a container. */
export interface Image {
  /** The folder in which its command starts. */
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly command: readonly string[];
  /** Ends with 0 if the server is well. */
  readonly healthCheck: readonly string[];
}

interface Stage extends Image {
  readonly root: string;
}

/**
 * Does what a Dockerfile says, without a container engine: each stage is a folder, and what it runs, runs on this machine.
 * Knows as much of the language as ours needs, and refuses the rest.
 */
export async function buildImage(project: string, dockerfile: string, into: string): Promise<Image> {
  const context = join(into, 'context');
  await copyContext(project, dockerfile, context);
  const stages = new Map<string, Stage>();
  const rootOf = (from?: string) => (from === undefined ? context : (stages.get(from)?.root ?? ''));
  let name = '';
  for (const instruction of toInstructions(await readFile(join(project, dockerfile), 'utf8'))) {
    if (instruction[0] === 'FROM') {
      name = / AS (\S+)$/.exec(instruction[1])?.[1] ?? 'last';
      stages.set(name, await newStage(join(into, name)));
    } else stages.set(name, await follow(stageOf(stages, name), instruction, rootOf));
  }
  return stageOf(stages, name);
}

/** Starts a program as the image would. */
export function commandOf({ env }: Image, program: readonly string[], more: Record<string, string>): string[] {
  return [...Object.entries({ ...env, ...more }).map(([name, value]) => `${name}=${value}`), ...program];
}

async function newStage(root: string): Promise<Stage> {
  await mkdir(root);
  return { root, home: root, env: {}, command: [], healthCheck: [] };
}

function stageOf(stages: ReadonlyMap<string, Stage>, name: string): Stage {
  const stage = stages.get(name);
  if (stage === undefined) throw new Error('there is no FROM');
  return stage;
}

type Instruction = readonly [name: string, rest: string];

function toInstructions(text: string): Instruction[] {
  return text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => [line.split(' ', 1)[0] ?? '', line.slice(line.indexOf(' ') + 1).trim()] as const);
}

async function follow(stage: Stage, [name, rest]: Instruction, rootOf: (from?: string) => string): Promise<Stage> {
  switch (name) {
    case 'WORKDIR': {
      const home = join(stage.root, rest);
      await mkdir(home, { recursive: true });
      return { ...stage, home };
    }
    case 'ENV':
      return { ...stage, env: { ...stage.env, ...Object.fromEntries(rest.split(' ').map((pair) => pair.split('='))) } };
    case 'COPY': {
      const [, from, names = ''] = /^(?:--from=(\S+) )?(.*)$/.exec(rest) ?? [];
      await copy(rootOf(from), names.split(' '), stage);
      return stage;
    }
    case 'RUN': {
      const { code, text } = await runToEnd(stage.home, 'env', ['npm_config_prefer_offline=true', 'sh', '-c', rest]);
      if (code !== 0) throw new Error(`RUN ended with ${code}:\n${text}`);
      return stage;
    }
    case 'CMD':
      return { ...stage, command: JSON.parse(rest) };
    case 'HEALTHCHECK':
      return { ...stage, healthCheck: JSON.parse(rest.slice(rest.indexOf('CMD ') + 4)) };
    case 'USER':
    case 'EXPOSE':
      return stage;
    default:
      throw new Error(`cannot follow the instruction ${name}`);
  }
}

/** What is sent to the engine: the project, without what the ignore file names. */
async function copyContext(project: string, dockerfile: string, context: string): Promise<void> {
  const ignoreFile = [`${dockerfile}.dockerignore`, '.dockerignore'].find((name) => existsSync(join(project, name)));
  const isIgnored =
    ignoreFile === undefined ? () => false : toIgnored(await readFile(join(project, ignoreFile), 'utf8'));
  await cp(project, context, { recursive: true, filter: (path) => !isIgnored(relative(project, path)) });
}

/** The last name is where to; of a folder, what is in it is copied. */
async function copy(root: string, names: readonly string[], stage: Stage): Promise<void> {
  const target = names.at(-1) ?? '';
  const sources = (await Promise.all(names.slice(0, -1).map((name) => matchesOf(root, name)))).flat();
  if (sources.length === 0) throw new Error(`nothing matches ${names.slice(0, -1).join(' ')}`);
  for (const source of sources) {
    const isFolder = (await stat(join(root, source))).isDirectory();
    const to = resolve(stage.home, target.endsWith('/') && !isFolder ? join(target, source) : target);
    await cp(join(root, source), to, { recursive: true, verbatimSymlinks: true });
  }
}

async function matchesOf(root: string, name: string): Promise<string[]> {
  if (!name.includes('*')) return [name];
  const pattern = new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
  return (await readdir(root)).filter((file) => pattern.test(file));
}
