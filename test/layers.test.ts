import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// Which layers a layer may import. A new edge needs a line in docs/decisions/.
const MAY_IMPORT: Record<string, readonly string[]> = {
  protocol: [],
  'http-client': [],
  core: ['protocol'],
  records: ['core', 'protocol'],
  mcp: ['core', 'protocol'],
  journal: ['core', 'protocol'],
  sessions: ['core', 'protocol'],
  durable: ['sessions', 'journal', 'core', 'protocol'],
  workers: ['sessions', 'core', 'protocol'],
  cluster: ['durable', 'sessions', 'journal', 'core', 'protocol'],
  server: ['mcp', 'cluster', 'workers', 'durable', 'sessions', 'journal', 'records', 'core', 'protocol'],
  client: ['core', 'protocol'],
  rollouts: ['mcp', 'http-client', 'client', 'records', 'core', 'protocol'],
  checking: ['client', 'server', 'sessions', 'core', 'protocol'],
  studio: ['checking', 'rollouts', 'records', 'client', 'core', 'protocol'],
  testing: ['checking', 'client', 'server', 'durable', 'sessions', 'records', 'core', 'protocol'],
  cli: [
    'studio',
    'rollouts',
    'mcp',
    'records',
    'http-client',
    'client',
    'server',
    'cluster',
    'workers',
    'checking',
    'testing',
    'sessions',
    'journal',
    'core',
    'protocol',
  ],
};

const SRC = fileURLToPath(new URL('../src', import.meta.url));

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path]) =>
    resolve(dirname(file), path ?? ''),
  );
}

function filesOf(layer: string): string[] {
  return readdirSync(join(SRC, layer), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(SRC, layer, name));
}

test('every folder of src is a layer of the table', () => {
  const folders = readdirSync(SRC, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual(Object.keys(MAY_IMPORT).sort());
});

test.each(Object.entries(MAY_IMPORT))('%s imports only layers below it, through their index', (layer, below) => {
  const files = filesOf(layer);
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    for (const target of importsOf(file)) {
      const [folder, ...rest] = relative(SRC, target).split('/');
      // Beside the layers, because the command must know the version without loading any of them.
      if (folder === layer || folder === 'version.ts') continue;
      expect(below, `${relative(SRC, file)} imports ${relative(SRC, target)}`).toContain(folder);
      expect(rest.join('/'), `${relative(SRC, file)} goes past the index of ${folder}`).toBe('index.ts');
    }
  }
});

test('a command imports nothing of another command, and shared/ nothing of any', () => {
  const cli = join(SRC, 'cli');
  for (const file of filesOf('cli')) {
    const [folder = '', ...inside] = relative(cli, file).split('/');
    // Beside the folders is what brings the commands together.
    if (inside.length === 0) continue;
    for (const target of importsOf(file)) {
      const path = relative(cli, target);
      if (path.startsWith('..')) continue;
      expect([folder, 'shared'], `${relative(SRC, file)} imports ${relative(SRC, target)}`).toContain(
        path.split('/')[0],
      );
    }
  }
});

// Types count as well: files that need each other's types cannot be read one after the other either.
test('no files import each other in a circle', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const imports = new Map(files.map((file) => [file, importsOf(join(SRC, file)).map((path) => relative(SRC, path))]));
  expect(cyclesOf(imports)).toEqual([]);
});

test.each(['protocol'])('%s has no dependencies', (layer) => {
  for (const file of filesOf(layer)) {
    expect(readFileSync(file, 'utf8')).not.toMatch(/from '(?!\.)/);
  }
});

/** The groups of files from each of which every other can be reached, as lists of names. */
function cyclesOf(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const reached = new Map([...imports.keys()].map((file) => [file, reachableFrom(file, imports)]));
  const circles = [...reached]
    .filter(([file, others]) => others.has(file))
    .map(([file, others]) =>
      [...others]
        .filter((other) => reached.get(other)?.has(file))
        .sort()
        .join(' '),
    );
  return [...new Set(circles)].sort();
}

/** All that a file imports, directly or not; itself only if it is part of a circle. */
function reachableFrom(file: string, imports: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set<string>();
  const waiting = [...(imports.get(file) ?? [])];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    waiting.push(...(imports.get(next) ?? []));
  }
  return reached;
}

// The page is another program: it knows the server by its contract, and runs one file of it.
test('ui/ imports of src/ only types, and what exported sites run', () => {
  const ui = fileURLToPath(new URL('../ui', import.meta.url));
  const files = readdirSync(ui, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  expect(files.length).toBeGreaterThan(50);
  for (const name of files) {
    const text = readFileSync(join(ui, name), 'utf8');
    for (const [statement, , path = ''] of text.matchAll(/^import (type )?[^;]*?from '([^']*\/src\/[^']+)';/gms)) {
      if (path.endsWith('/studio/select-tasks.ts')) continue;
      expect(statement, `ui/${name} runs code of src/`).toMatch(/^import type /);
      expect(path, `ui/${name} goes past an index`).toMatch(/\/src\/(studio\/api|[\w-]+\/index)\.ts$/);
    }
  }
});
