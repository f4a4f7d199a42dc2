import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SRC = fileURLToPath(new URL('../../src', import.meta.url));

// What is imported or re-exported at run time: `import type` and `export type` leave nothing behind.
const FROM = /^(?:import|export)\s+(?!type\b)(?:[^;'"]*?\sfrom\s+)?'([^']+)'/gm;
const DYNAMIC = /\bimport\(\s*'([^']+)'/g;

// What only Node has. `globalThis.process?.` asks first.
const OF_NODE = /\b(Buffer|require|setImmediate|__dirname|__filename)\b|(?<!globalThis\.)\bprocess\b[.?]/;

interface Module {
  /** Relative to src. */
  readonly path: string;
  readonly code: string;
  readonly imports: readonly string[];
}

/** All modules that are loaded with this one, and the names of packages they ask for. */
function reachable(entry: string): { modules: Module[]; packages: Set<string> } {
  const modules = new Map<string, Module>();
  const packages = new Set<string>();
  const visit = (file: string) => {
    if (modules.has(file)) return;
    const source = readFileSync(file, 'utf8');
    const imports = [FROM, DYNAMIC].flatMap((pattern) => [...source.matchAll(pattern)].map(([, from = '']) => from));
    const code = source.replace(/\/\*.*?\*\/|\/\/[^\n]*/gs, '');
    modules.set(file, { path: relative(SRC, file), code, imports });
    for (const from of imports) {
      if (from.startsWith('.')) visit(resolve(dirname(file), from));
      else packages.add(from);
    }
  };
  visit(entry);
  return { modules: [...modules.values()], packages };
}

const { modules, packages } = reachable(resolve(SRC, 'client/index.ts'));

test('the client loads itself and the protocol, and nothing else of ours', () => {
  const layers = new Set(modules.map(({ path }) => path.split('/')[0]));
  expect([...layers].sort()).toEqual(['client', 'protocol']);
  // It was not read past: these are at both ends of the graph.
  expect(modules.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['client/timer.ts', 'client/formats/index.ts', 'protocol/ors.ts']),
  );
});

test('the client needs two packages, which browsers can load, and no module of Node', () => {
  expect([...packages].sort()).toEqual(['@opentelemetry/api', 'eventsource-parser']);
});

test.each(modules.map(({ path, code }) => [path, code]))('%s uses nothing that only Node has', (_path, code) => {
  expect(OF_NODE.exec(code ?? '')?.[0]).toBeUndefined();
});
