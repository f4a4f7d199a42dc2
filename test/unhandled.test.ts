import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

// What would keep a promise that nobody handles from failing the run, as it does by itself.
const SWALLOWS = [
  /dangerouslyIgnoreUnhandled/,
  /onUnhandledError/,
  /removeAllListeners\(\s*['"](?:unhandled|uncaught)/,
];

test('nothing keeps an unhandled rejection from failing the tests', () => {
  const tests = ['test', 'src', 'examples'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const configs = readdirSync(ROOT).filter((name) => /^vitest\..*config\.ts$/.test(name));
  expect(configs).toContain('vitest.config.ts');
  const self = 'test/unhandled.test.ts';
  for (const path of [...configs, ...tests.filter((name) => name.endsWith('.ts') && name !== self)]) {
    const source = readFileSync(join(ROOT, path), 'utf8');
    for (const pattern of SWALLOWS) expect(source, path).not.toMatch(pattern);
  }
});
