import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { program } from '../src/cli/program.ts';
import { anchorsOf } from './support/documents.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

// What `npm run docs` writes; it may be there or not.
const GENERATED = 'docs/api/';

// Not what is hidden: other tests make folders of that kind, which come and go.
const ours = readdirSync(ROOT, { withFileTypes: true }).filter(({ name }) => !/^(\.|node_modules$|dist$)/.test(name));

const documents = ours
  .flatMap((entry) =>
    entry.isDirectory()
      ? readdirSync(join(ROOT, entry.name), { recursive: true, encoding: 'utf8' }).map((path) => join(entry.name, path))
      : entry.name,
  )
  .filter((path) => path.endsWith('.md') && !path.includes('node_modules') && !path.startsWith(GENERATED));

// A path in backticks that begins with one of our folders, or a relative link.
const PATH = /`((?:src|test|docs|examples|bench|proof|deploy|templates|\.ci)\/[\w./-]*)`/g;
const LINK = /\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?/g;

interface Link {
  readonly path: string;
  readonly anchor: string | undefined;
}

/** The links of a document to files of ours, itself included. */
function linksOf(document: string, text: string): Link[] {
  return [...text.matchAll(LINK)].map(([, path, anchor]) => ({
    path: path ? join(ROOT, dirname(document), path) : join(ROOT, document),
    anchor,
  }));
}

test.each(documents)('every path that %s names exists', (document) => {
  const text = readFileSync(join(ROOT, document), 'utf8');
  const named = [...text.matchAll(PATH)].flatMap(([, path = '']) =>
    path.startsWith(GENERATED) ? [] : join(ROOT, path),
  );
  const linked = linksOf(document, text).map(({ path }) => path);
  for (const path of [...named, ...linked]) expect(existsSync(path), path).toBe(true);
});

test.each(documents)('every heading that %s links to is there', (document) => {
  for (const { path, anchor } of linksOf(document, readFileSync(join(ROOT, document), 'utf8'))) {
    if (anchor === undefined || !path.endsWith('.md')) continue;
    expect(anchorsOf(readFileSync(path, 'utf8')), `the headings of ${path}`).toContain(anchor);
  }
});

test('headings have the anchors that GitHub gives them', () => {
  const text = `# \`tiltyard new\`: a *first* start
\`\`\`sh
# a comment, and no heading
\`\`\`
## Errors, and what to do
### See [the_limits](limits.md#all) & more
## Errors, and what to do
#No heading
`;
  expect(anchorsOf(text)).toEqual([
    'tiltyard-new-a-first-start',
    'errors-and-what-to-do',
    'see-the_limits--more',
    'errors-and-what-to-do-1',
  ]);
});

test('every command is in the first table of docs/command-line.md, and has its part there', () => {
  const text = readFileSync(join(ROOT, 'docs/command-line.md'), 'utf8');
  const [table = ''] = text.split('\n## ');
  const listed = [...table.matchAll(/\]\(#tiltyard-(\w+)\)/g)].map(([, name]) => name);
  expect(listed.sort()).toEqual(
    program()
      .commands.map((command) => command.name())
      // Needs no more than the line below the table.
      .filter((name) => name !== 'help')
      .sort(),
  );
});
