import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { environment, step } from 'tiltyard';
import { createServer } from 'tiltyard/server';
import { expect, test } from 'vitest';
import { calculator } from '../../examples/toolkit/toolkit.ts';
import { folderWith, run } from '../support/command.ts';
import { type Ended, runHere } from '../support/run-here.ts';
import { shareInFile, startForTest } from '../support/shared.ts';

const tools = {
  submit: {
    description: 'Give the answer, which ends the episode.',
    run: () => step('Thank you.', { reward: 2, finished: true }),
  },
};
const splits = { train: [{ question: 'Where?' }] };
const good = environment({ name: 'good', splits, prompt: ({ task }) => task.question, tools });
const mute = environment({ name: 'mute', splits, prompt: () => '', tools });

const serving = shareInFile(async () => {
  const server = await createServer({ environments: [good, mute], toolkits: [calculator], logger: false });
  return { server, url: await server.listen() };
});

function checked(...args: string[]): Promise<Ended> {
  return runHere(['check', ...args], { TILTYARD_API_KEY: '' });
}

test('all environments of a server are checked, and a flaw is told with what to do about it', async () => {
  const { code, output } = await checked(serving().url, '--environment');
  expect(output).toMatch(/^Environment 'good' {2}(\d+) of \1 passed$/m);
  expect(output).toMatch(/^ {2}warn {2}env\/prompt-empty Every prompt says something$/m);
  expect(output).toContain('the prompt of train[0] is empty');
  expect(output).toContain('fix: say what to do, and how it ends');
  expect(output).toMatch(/^env +\d+ passed +none failed +1 warning +0 known/m);
  expect(output).toMatch(/^\d+ skipped because they call tools: run them with --active$/m);
  expect(output).toMatch(
    /^1 warning does not fail the check; --strict makes it count\nPassed, with warnings, as far as it was checked\.$/m,
  );
  expect(output).not.toContain('ors at');
  expect(code).toBe(0);
});

test('how many of the tasks were tried is told, unless it is all of them', async () => {
  const many = environment({
    ...good,
    name: 'many',
    splits: { train: { count: 2_000, get: (n) => ({ question: `${n}?` }) }, test: [{ question: 'Where?' }] },
  });
  await using server = await createServer({ environments: [many], logger: false });
  const url = await server.listen();
  expect((await checked(url, '-e', 'many')).output).toMatch(/^6 of 2,001 tasks were tried; --samples tries more$/m);
  expect((await checked(url, '-e', 'many', '--samples', '1')).output).toMatch(/^2 of 2,001 tasks were tried/m);
  expect((await checked(serving().url, '-e', 'good')).output).not.toContain('tried');
});

test('one environment is checked by name, in whatever case', async () => {
  const { output } = await checked(serving().url, '-e', 'GOOD', '--verbose');
  expect(output).toContain("Environment 'good'");
  expect(output).not.toContain("Environment 'mute'");
});

test('advice counts with --strict', async () => {
  const { code, output } = await checked(serving().url, '-e', 'mute', '--strict');
  expect(output).toMatch(/^ {2}FAIL {2}env\/prompt-empty/m);
  expect(output).toMatch(/^tiltyard: 1 requirement is not met: env\/prompt-empty$/m);
  expect(code).toBe(1);
});

test('with --active tools are called, and rewards held against the range that is given', async () => {
  const { url } = serving();
  const paid = await checked(url, '-e', 'good', '--active');
  expect(paid.output).toContain("'submit' paid 2, outside of -1 to 1");
  expect(paid.output).toContain(`tiltyard call ${url} submit '{}' --environment good --split train --index 0`);
  const wide = await checked(url, '-e', 'good', '--active', '--reward-range', '0,2');
  expect(wide.output).toMatch(/none failed +0 warnings/);
});

test('the command that makes a call again names the module, whose server is gone', async () => {
  const folder = await folderWith({
    'pays.mjs': `import { environment, step } from 'tiltyard';
      export const pays = environment({
        name: 'pays',
        splits: { train: [{}] },
        prompt: () => 'Take it.',
        tools: { submit: { description: 'Take it.', run: () => step('Here.', { reward: 7, finished: true }) } },
      });`,
  });
  const command = run(['check', join(folder, 'pays.mjs'), '--environment', '--active']);
  await command.exit;
  const output = command.output();
  expect(output).toContain(`env at ${join(folder, 'pays.mjs')}\n`);
  expect(output).toContain(`tiltyard call ${join(folder, 'pays.mjs')} submit`);
});

test('of a stack, findings and calls show what the author wrote', async () => {
  const folder = await folderWith({
    'breaks.mts': `import { environment } from 'tiltyard';
      export const breaks = environment({
        name: 'breaks',
        splits: { train: [{}] },
        prompt: () => 'Break it.',
        tools: { look: { description: 'Look.', run() { throw new Error('a mistake'); } } },
      });`,
  });
  const module = join(folder, 'breaks.mts');
  const linting = run(['check', module, '--environment', '--active']);
  await linting.exit;
  const output = linting.output();
  expect(output).toMatch(/'look' broke: Error: a mistake at .*breaks\.mts:6:\d+\)$/m);
  const command = run(['call', module, 'look']);
  expect(await command.exit).toBe(1);
  expect(command.output()).toMatch(/^tiltyard: Error: a mistake \(broken\)\n +at .*breaks\.mts:6:\d+\)\n$/m);
  expect(`${output}${command.output()}`).not.toMatch(/dist|node_modules|node:internal/);
});

test('a flaw that is written down is known, in every environment, until none has it', async () => {
  const file = join(await folderWith({}), 'known.json');
  await checked(serving().url, '--environment', '--write-baseline', file);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual([
    { id: 'env/prompt-empty', note: 'the prompt of train[0] is empty' },
  ]);
  const again = await checked(serving().url, '--environment', '--strict', '--baseline', file);
  expect(again.output).toContain('known env/prompt-empty');
  expect(again.output).not.toContain('fixed');
  expect(again.code).toBe(0);
  const mended = await checked(serving().url, '-e', 'good', '--baseline', file);
  expect(mended.output).toContain('fixed: env/prompt-empty passes now');
});

test('the report for programs has the advice, and so has that of CI', async () => {
  const file = join(await folderWith({}), 'report.xml');
  const { stdout, code } = await checked(serving().url, '-e', 'mute', '--strict', '--json', '--junit', file);
  expect(stdout.trim().split('\n')).toHaveLength(1);
  const { passed, findings } = JSON.parse(stdout);
  expect(passed).toBe(false);
  expect(findings.find(({ id }: any) => id === 'env/prompt-empty')).toMatchObject({
    protocol: 'env',
    group: "Environment 'mute'",
    outcome: 'fail',
    advice: 'say what to do, and how it ends',
  });
  expect(await readFile(file, 'utf8')).toContain(
    '<failure message="the prompt of train[0] is empty">say what to do, and how it ends</failure>',
  );
  expect(code).toBe(1);
});

test('an environment that the server does not have is told with those that it has', async () => {
  const { code, output } = await checked(serving().url, '-e', 'nowhere');
  expect(output).toContain("there is no environment 'nowhere'. Choose one of: good, mute");
  expect(code).toBe(1);
});

test('a target that the option took for a name is told so', async () => {
  const { code, output } = await checked('--environment', 'hello.ts');
  expect(output).toContain("--environment took 'hello.ts' as the name of an environment: put the target first");
  expect(code).toBe(2);
});

test('a server without environments has nothing to check', async () => {
  const { code, output } = await checked('examples/toolkit/toolkit.ts', '--environment');
  expect(output).toContain('has toolkits and no environments');
  expect(code).toBe(1);
});

test.each([
  [['--seed', '5'], '--seed only applies to the lint: add --environment'],
  [['--samples', '5', '--reward-range', '0,1'], '--samples and --reward-range only apply to the lint'],
  [['--environment', '--only', 'D'], '--only cannot be combined with --environment'],
  [['--environment', '--samples', '0'], '--samples must be at least 1'],
  [['--environment', '--reward-range', '1'], 'A range is min,max, such as 0,1 or -1,1.'],
  [['--environment', '--reward-range', '1,0'], 'A range is min,max'],
])('%j is a misuse, told before anything is checked', async (args, message) => {
  const { code, output } = await checked('http://127.0.0.1:1', ...args);
  expect(output).toContain(message);
  expect(code).toBe(2);
});

test('Ctrl-C ends the check, and the episode that it began', async () => {
  let begun = () => {};
  const begin = new Promise<void>((resolve) => (begun = resolve));
  let ended = () => {};
  const end = new Promise<void>((resolve) => (ended = resolve));
  const slow = environment({
    name: 'slow',
    splits: { train: [{}] },
    setup({ signal }) {
      begun();
      return new Promise<object>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
    prompt: () => 'Never.',
    tools,
    teardown: () => ended(),
  });
  const { url } = await startForTest(async () => {
    const server = await createServer({ environments: [slow], logger: false });
    return { server, url: await server.listen() };
  });
  const command = run(['check', url, '--environment']);
  await begin;
  command.child.kill('SIGINT');
  expect(await command.exit).toBe(130);
  expect(command.output()).toContain('tiltyard: interrupted');
  await end;
});
