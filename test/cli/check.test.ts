import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { environment } from 'tiltyard';
import { createServer } from 'tiltyard/server';
import { expect, test } from 'vitest';
import { calculator } from '../../examples/toolkit/toolkit.ts';
import { other, probed } from '../referee/environments.ts';
import { type Rewrite, startRewritingProxy } from '../referee/rewriting-proxy.ts';
import { folderWith, run } from '../support/command.ts';
import { type Ended, runHere } from '../support/run-here.ts';
import { shareInFile, startForTest } from '../support/shared.ts';

const serving = shareInFile(async () => {
  const server = await createServer({ environments: [probed, other], logger: false });
  return { server, url: await server.listen() };
});

/** A server that breaks D7, which counts. */
const furtherKey: Rewrite = ({ path }, { text }) =>
  path === '/probed/tools'
    ? { text: text.replace('"name":"echo"', '"name":"echo","version":"\\u001b[31m1"') }
    : undefined;

/** A server that breaks G17, which does not count unless it shall. */
const bodyFirst: Rewrite = ({ body }, { status }) => (status === 404 && body === '{' ? { status: 400 } : undefined);

function checked(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return runHere(['check', ...args], env);
}

test('a module passes, with its tools called', async () => {
  const command = run(['check', 'examples/hello/environment.ts', '--active']);
  const code = await command.exit;
  const output = command.output();
  expect(output).toMatch(/^ors +\d+ passed +none failed +0 warnings +0 known +\d+ skipped$/m);
  expect(output).toContain('Event streams  10 of 10 passed');
  expect(output).toContain('ors at examples/hello/environment.ts\n');
  expect(output).toMatch(/^\d+ skipped: --verbose shows why\nThe server meets the standard\.$/m);
  expect(code).toBe(0);
});

test('a server of both protocols is checked for both, or for the one that is named', async () => {
  const { url } = await startForTest(async () => {
    const server = await createServer({ environments: [probed], toolkits: [calculator], logger: false });
    return { server, url: await server.listen() };
  });
  const both = await checked([url]);
  expect(both.output).toMatch(/^ors +\d+ passed +none failed +0 warnings/m);
  expect(both.output).toMatch(/^oxp +\d+ passed +none failed +0 warnings/m);
  expect(both.code).toBe(0);
  const one = await checked([url, '--only', 'oxp', '--verbose']);
  expect(one.output).toContain(`oxp at ${url}`);
  expect(one.output).not.toContain('ors at');
});

test('known failures name their protocol, because both use the same letters', async () => {
  const file = join(await folderWith({}), 'known.json');
  const { url } = await startForTest(async () => {
    const server = await createServer({ toolkits: [calculator], logger: false });
    return { server, url: await server.listen() };
  });
  const lenient = await startRewritingProxy(url, ({ path }, { status }) =>
    path === '/tools/call' && status === 400 ? { status: 422 } : undefined,
  );
  await checked([lenient, '--only', 'oxp/E', '--write-baseline', file]);
  expect(JSON.parse(await readFile(file, 'utf8')).map(({ id }: any) => id)).toEqual(['oxp/E1']);
  expect((await checked([lenient, '--only', 'oxp/E', '--baseline', file])).code).toBe(0);
});

test('without --active it says how much was left out', async () => {
  const { code, output } = await checked([serving().url, '--only', 'ors/C']);
  expect(output).toMatch(/^\d+ skipped because they call tools: run them with --active$/m);
  expect(code).toBe(0);
});

test('a failure is shown with what is required, where that stands, what was sent and what came back', async () => {
  const url = await startRewritingProxy(serving().url, furtherKey);
  const { code, output } = await checked([url, '--only', 'D']);
  expect(output).toContain('FAIL  D7   A tool has no further keys: official clients break on them.');
  expect(output).toContain("tool 'echo' has `version` besides");
  expect(output).toContain('interop: ors-sdk 0.1.0 environment.py:195');
  expect(output).toContain(`> curl -i ${url}/probed/tools`);
  expect(output).toContain('< 200 application/json');
  expect(output).toMatch(/^tiltyard: 1 requirement is not met: ors\/D7$/m);
  expect(output).not.toContain('keeps the standard');
  expect(code).toBe(1);
});

test('a server cannot write escape codes to the terminal, and none are written without one', async () => {
  const escaping: Rewrite = ({ path }) =>
    path === '/health' ? { status: 200, text: '\u001b]0;title\u0007{"status":"\u001b[31mred"}' } : undefined;
  const url = await startRewritingProxy(serving().url, escaping);
  const { code, output } = await checked([url, '--only', 'D1']);
  expect(output).toContain('FAIL  D1');
  expect(output).not.toMatch(/[\u001b\u0007]/);
  expect(code).toBe(1);
});

test('what hardens is a warning, unless it shall count', async () => {
  const url = await startRewritingProxy(serving().url, bodyFirst);
  const warned = await checked([url, '--only', 'G']);
  expect(warned.output).toContain('warn  G17');
  expect(warned.output).toMatch(/^1 warning does not fail the check; --strict makes it count$/m);
  expect(warned.code).toBe(0);
  const strict = await checked([url, '--only', 'G', '--strict']);
  expect(strict.output).toContain('FAIL  G17');
  expect(strict.code).toBe(1);
});

test('--level specified leaves what official clients need to warnings', async () => {
  const url = await startRewritingProxy(serving().url, furtherKey);
  const { code, output } = await checked([url, '--only', 'D7', '--level', 'specified']);
  expect(output).toContain('warn  D7');
  expect(code).toBe(0);
});

test('failures that are written down are known from then on, and told of when they are mended', async () => {
  const file = join(await folderWith({}), 'known.json');
  const url = await startRewritingProxy(serving().url, furtherKey);
  expect((await checked([url, '--only', 'D', '--write-baseline', file])).code).toBe(1);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual([
    { id: 'ors/D7', note: "tool 'echo' has `version` besides" },
  ]);
  const again = await checked([url, '--only', 'D', '--baseline', file]);
  expect(again.output).toContain('known D7');
  expect(again.output).toMatch(/none failed +0 warnings +1 known/);
  expect(again.output).toContain('No new failures, as far as it was checked.');
  expect(again.code).toBe(0);
  const mended = await checked([serving().url, '--only', 'D', '--baseline', file]);
  expect(mended.output).toContain('fixed: ors/D7 passes now. Remove it from the baseline');
  expect(mended.code).toBe(0);
});

test.each([
  ['is not there', undefined, 'does not exist. Create one with --write-baseline'],
  ['is no JSON', '{', 'is not JSON'],
  ['is no list', '{}', 'is not a list'],
  ['has something else in it', '[5]', 'has an invalid entry: 5'],
])('a baseline that %s is a misuse, told before anything is checked', async (_what, text, message) => {
  const file = join(await folderWith({}), 'known.json');
  if (text !== undefined) await writeFile(file, text);
  const { code, output } = await checked(['http://127.0.0.1:1', '--baseline', file]);
  expect(output).toContain(message);
  expect(code).toBe(2);
});

test('a JUnit report has a case for each requirement, and is XML whatever the server says', async () => {
  const file = join(await folderWith({}), 'report.xml');
  const url = await startRewritingProxy(serving().url, ({ path }) =>
    path === '/probed/tools' ? { text: '{"tools":[{"name":"<&\\"\\u0000>"}]}' } : undefined,
  );
  const { code } = await checked([url, '--only', 'D', '--junit', file]);
  const xml = await readFile(file, 'utf8');
  expect(code).toBe(1);
  expect(xml).toMatch(/<testsuite name="ors" tests="25" failures="2" errors="0" skipped="1">/);
  expect(xml).toContain(
    '<testcase classname="ors.Discovery" name="D1: GET /health is 200 `{&quot;status&quot;:&quot;ok&quot;}`."/>',
  );
  expect(xml).toContain('&lt;&amp;&quot;\ufffd&gt;');
  expect(xml).not.toContain('\u0000');
});

test('--json prints one line for programs', async () => {
  const url = await startRewritingProxy(serving().url, furtherKey);
  const { code, stdout } = await checked([url, '--only', 'D7', 'D1', '--json']);
  expect(stdout.trim().split('\n')).toHaveLength(1);
  const { passed, summary, findings } = JSON.parse(stdout);
  expect({ passed, summary }).toEqual({
    passed: false,
    summary: { ors: { pass: 1, fail: 1, warn: 0, known: 0, skip: 0 } },
  });
  expect(findings.map(({ id, outcome }: any) => [id, outcome])).toEqual([
    ['D1', 'pass'],
    ['D7', 'fail'],
  ]);
  expect(findings[1].exchanges[0]).toMatchObject({
    request: { method: 'GET', path: '/probed/tools' },
    answer: { status: 200 },
  });
  expect(code).toBe(1);
});

test('--verbose shows what passed and what was skipped, too', async () => {
  const { output } = await checked([serving().url, '--only', 'X', '--verbose']);
  expect(output).toContain('pass  X1 ');
  expect(output).toContain('skip  X3 ');
  expect(output).toContain('there are several environments');
  expect(output).not.toContain('see why');
});

test('a server that cannot be reached, or speaks something else, is told so', async () => {
  const unreachable = await checked(['http://127.0.0.1:1']);
  expect(unreachable.output).toContain(
    'nothing is listening at http://127.0.0.1:1. Start a server with: tiltyard serve',
  );
  expect(unreachable.code).toBe(1);
  const foreign = await startRewritingProxy(serving().url, () => ({ status: 404, text: 'nothing here' }));
  const other = await checked([foreign]);
  expect(other.output).toMatch(/speaks none of ors, oxp: GET \/list_environments is 404, GET \/tools is 404/);
  expect(other.code).toBe(1);
});

test('a part that does not exist is a wrong option, and one that the server does not speak leaves nothing to check', async () => {
  const unknown = await checked([serving().url, '--only', 'Z9']);
  expect(unknown).toMatchObject({ code: 2, output: expect.stringContaining("there is no requirement 'Z9'") });
  const unspoken = await checked([serving().url, '--only', 'oxp']);
  expect(unspoken).toMatchObject({ code: 1, output: expect.stringContaining('nothing is left to check') });
});

test('a key comes from the environment, and is shown nowhere', async () => {
  const { url } = await startForTest(async () => {
    const server = await createServer({ environments: [probed], auth: { apiKeys: ['secret-key'] }, logger: false });
    return { server, url: await server.listen() };
  });
  const refused = await checked([url], { TILTYARD_API_KEY: '' });
  expect(refused.output).toContain('requires an API key. Set the environment variable TILTYARD_API_KEY');
  expect(refused.code).toBe(1);
  const wrong = await checked([url], { TILTYARD_API_KEY: 'another-key' });
  expect(wrong.output).toMatch(/rejected the API key\. Set .* TILTYARD_API_KEY/);
  expect(wrong.code).toBe(1);
  const allowed = await checked([url, '--only', 'G', '--verbose'], { TILTYARD_API_KEY: 'secret-key' });
  expect(allowed.output).toContain('pass  G11');
  expect(allowed.output).not.toContain('secret-key');
  expect(allowed.code).toBe(0);
});

test('Ctrl-C ends the check, and the sessions it opened', async () => {
  let setups = 0;
  let teardowns = 0;
  let begun = () => {};
  const begin = new Promise<void>((resolve) => (begun = resolve));
  const slow = environment({
    name: 'slow',
    splits: { train: [{}] },
    setup({ signal }) {
      setups += 1;
      begun();
      return new Promise<object>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
    prompt: () => 'Never.',
    tools: { look: { run: () => 'seen' } },
    teardown() {
      teardowns += 1;
    },
  });
  const { url } = await startForTest(async () => {
    const server = await createServer({ environments: [slow], logger: false });
    return { server, url: await server.listen() };
  });
  const command = run(['check', url, '--only', 'P']);
  await begin;
  command.child.kill('SIGINT');
  expect(await command.exit).toBe(130);
  expect(command.output()).toContain('tiltyard: interrupted');
  expect(setups).toBe(1);
  expect(teardowns).toBe(1);
});

test('a setup that takes longer than the limit skips what needs it, and fails nothing', async () => {
  const slow = await folderWith({
    'slow.mjs': `import { environment } from 'tiltyard';
      export const slow = environment({
        name: 'slow',
        splits: { train: [{}] },
        setup: ({ signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
        prompt: () => 'Never.',
        tools: { look: { run: () => 'seen' } },
      });`,
  });
  const command = run(['check', join(slow, 'slow.mjs'), '--active', '--setup-timeout', '300ms', '--verbose']);
  const code = await command.exit;
  const output = command.output();
  expect(output).toContain('setup was not over after 0.3 s');
  expect(output).toMatch(/passed +none failed +0 warnings/);
  expect(code).toBe(0);
});

test('--help has an example', async () => {
  const { code, output } = await checked(['--help']);
  expect(output).toContain('tiltyard check localhost:8080 --baseline known.json --junit report.xml');
  expect(code).toBe(0);
});
