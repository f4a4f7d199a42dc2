import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createServer } from '../src/server/index.ts';
import { limitsFields, limitsTable } from './support/limits-page.ts';

/** A part of a file that the table of limits writes: between two marks, which stay. */
const WRITTEN = [
  {
    path: 'docs/configuration.md',
    part: /(?<=<!-- limits: .*-->\n\n).*?(?=\n\n<!-- end of limits -->)/s,
    expected: limitsTable(),
  },
  { path: 'src/core/limits.ts', part: /(?<=export interface Limits \{\n).*?(?=\n\})/s, expected: limitsFields() },
];

test.each(WRITTEN)('$path says of limits what their table says', ({ path, part, expected }) => {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  const text = readFileSync(file, 'utf8');
  expect(text).toMatch(part);
  if (process.env.UPDATE_DOCS === '1')
    writeFileSync(
      file,
      text.replace(part, () => expected),
    );
  else
    expect(part.exec(text)?.[0], 'mend it with: UPDATE_DOCS=1 npx vitest run test/configuration.test.ts').toBe(
      expected,
    );
});

// For hosts of this package, and not for users.
const INTERNAL = ['host', 'runtime', 'keeper', 'around'];

test('docs/serving.md has every option of createServer', async () => {
  const refusal = await createServer({ nonsense: true } as never).catch(String);
  const [, listed = ''] = /Known keys: (.*)/.exec(String(refusal)) ?? [];
  const options = listed.split(', ').filter((name) => !INTERNAL.includes(name));
  expect(options).toContain('environments');
  const page = readFileSync(fileURLToPath(new URL('../docs/serving.md', import.meta.url)), 'utf8');
  const firstCells = [...page.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell = '']) => cell).join('\n');
  for (const option of options) expect(firstCells).toMatch(new RegExp(`\`${option}[.\`]`));
});
