import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const documents = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.md') && !/(^|\/)(node_modules|dist)\//.test(path),
);

// A path in backticks that begins with one of our folders, or a relative link.
const PATH = /`((?:src|test|docs|examples|bench|\.ci)\/[\w./-]*)`/g;
const LINK = /\]\((?!https?:|#|mailto:)([^)#\s]+)/g;

test.each(documents)('every path that %s names exists', (document) => {
  const text = readFileSync(join(ROOT, document), 'utf8');
  const named = [...text.matchAll(PATH)].map(([, path]) => join(ROOT, path ?? ''));
  const linked = [...text.matchAll(LINK)].map(([, path]) => join(ROOT, dirname(document), path ?? ''));
  for (const path of [...named, ...linked]) expect(existsSync(path), path).toBe(true);
});
