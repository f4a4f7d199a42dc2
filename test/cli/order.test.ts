import { expect, test } from 'vitest';
import { folderWith, run } from '../support/command.ts';

const define = (variable: string, name = variable) =>
  `export const ${variable} = environment({ name: '${name}', splits: { train: [{}] }, prompt: () => '', tools: { go: { run: () => 'ok' } } });\n`;

const IMPORT = "import { environment } from 'tiltyard';\n";

const FILES = {
  'zebra.ts': `${IMPORT}${define('zebra')}${define('ant')}${define('mouse')}`,
  // Made from another one, and re-exported under a name that comes first in the alphabet.
  'made.ts': `${IMPORT}import { zebra } from './zebra.ts';\n${define('yak')}export const bear = environment({ ...yak, name: 'bear' });\nexport { zebra as aardvark };\n`,
  'listed.ts': `${IMPORT}${define('zebra')}${define('ant')}${define('mouse')}export default [mouse, zebra];\n`,
  'stray.ts': `${IMPORT}${define('zebra')}export default [zebra, 'ant'];\n`,
};

test.each([
  ['the order of their definition', ['zebra.ts'], ['zebra', 'ant', 'mouse']],
  ['that order, also where one is made from another or exported again', ['made.ts'], ['zebra', 'yak', 'bear']],
  ['the order of a default export that lists them, and then the rest', ['listed.ts'], ['mouse', 'zebra', 'ant']],
  ['the order of the modules first', ['made.ts', 'zebra.ts'], ['zebra', 'yak', 'bear', 'ant', 'mouse']],
])('environments are served in %s', async (_, modules, names) => {
  const server = run(['serve', ...modules, '--port', '0', '--json'], {}, await folderWith(FILES));
  await new Promise((resolve) => server.child.stdout?.once('data', resolve));
  const { environments } = JSON.parse(server.stdout());
  expect(environments.map(({ name }: { name: string }) => name)).toEqual(names);
});

test('a default export that lists something else is refused', async () => {
  const server = run(['serve', 'stray.ts'], {}, await folderWith(FILES));
  expect(await server.exit).toBe(1);
  expect(server.output()).toContain('stray.ts: item 1 of its default export is neither an environment nor a toolkit');
});
