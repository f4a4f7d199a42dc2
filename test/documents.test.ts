import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { program } from '../src/cli/program.ts';
import { anchorsOf, linksOf } from './support/documents.ts';

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

// A path in backticks that begins with one of our folders.
const PATH = /`((?:src|test|docs|examples|bench|proof|deploy|templates|\.ci)\/[\w./-]*)`/g;

test.each(documents)('every path that %s names exists', (document) => {
  const text = readFileSync(join(ROOT, document), 'utf8');
  const named = [...text.matchAll(PATH)].flatMap(([, path = '']) =>
    path.startsWith(GENERATED) ? [] : join(ROOT, path),
  );
  const linked = linksOf(document, text).map(({ path }) => join(ROOT, path));
  for (const path of [...named, ...linked]) expect(existsSync(path), path).toBe(true);
});

test.each(documents)('every heading that %s links to is there', (document) => {
  for (const { path, anchor } of linksOf(document, readFileSync(join(ROOT, document), 'utf8'))) {
    if (anchor === undefined || !path.endsWith('.md')) continue;
    expect(anchorsOf(readFileSync(join(ROOT, path), 'utf8')), `the headings of ${path}`).toContain(anchor);
  }
});

// What npm packs whatever `files` says.
const ALWAYS = ['README.md', 'LICENSE', 'package.json'];

const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly files: readonly string[] };
const [kept, left] = [files.filter((each) => !each.startsWith('!')), files.filter((each) => each.startsWith('!'))];

/** Whether a file or a folder is in the package; test/packed.test.ts asks npm itself. */
function ships(path: string): boolean {
  const isIn = (pattern: string) => toPattern(pattern).test(path.replace(/\/$/, ''));
  return ALWAYS.includes(path) || (kept.some(isIn) && !left.some((each) => isIn(each.slice(1))));
}

/** What a line of `files` means: a file, or all of a folder. */
function toPattern(line: string): RegExp {
  const escaped = line.replace(/[.+]/g, '\\$&').replaceAll('**/', '<any>').replaceAll('*', '[^/]*');
  return new RegExp(`^${escaped.replaceAll('<any>', '(?:.*/)?')}(?:/|$)`);
}

test.each(documents.filter(ships))(
  'every link of %s, which is in the package, leads to something that is',
  (document) => {
    for (const { path } of linksOf(document, readFileSync(join(ROOT, document), 'utf8')))
      expect([path, ships(path)]).toEqual([path, true]);
  },
);

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
