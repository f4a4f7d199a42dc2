import { join } from 'node:path';
import { environment } from 'tiltyard';
import { createServer } from 'tiltyard/server';
import { expect, test, vi } from 'vitest';
import { folderWith, run } from '../support/command.ts';
import { runHere } from '../support/run-here.ts';

// Each command starts a process, and one of them a second one for the server.
vi.setConfig({ testTimeout: 60_000 });

// Its setup needs a secret, and refuses with the status that a missing API key has.
const NEEDY = `
import { environment, SetupError, step } from 'tiltyard';
export const needy = environment({
  name: 'needy',
  splits: { train: [{ question: 'Where?' }] },
  setup({ secrets }) {
    if (secrets.NEEDY_TOKEN !== 'sk-very-secret') throw new SetupError('NEEDY_TOKEN is missing', { status: 401 });
  },
  prompt: ({ task }) => task.question,
  tools: { submit: { description: 'Answer, which ends it.', run: () => step('Thanks.', { reward: 1, finished: true }) } },
});`;

async function commandOnNeedy(command: string, ...args: readonly string[]) {
  const folder = await folderWith({ 'needy.mts': NEEDY });
  const { exit, output } = run([command, join(folder, 'needy.mts'), ...args], {
    NEEDY_TOKEN: 'sk-very-secret',
    TILTYARD_API_KEY: '',
  });
  return { code: await exit, output: output() };
}

const SHORT = ['--duration', '200ms', '--warm-up', '20ms', '--connections', '2'];

test.each([
  ['call', ['submit']],
  ['bench', SHORT],
])('%s blames a failed setup on the setup, not on an API key', async (command, args) => {
  const { code, output } = await commandOnNeedy(command, ...args);
  expect(output).toContain('the setup of the episode failed: NEEDY_TOKEN is missing');
  expect(output).toContain('add --secret NAME');
  expect(output).not.toContain('API key');
  expect(code).toBe(1);
});

test.each([
  ['tools', ['--index', '0']],
  ['check', ['--active']],
  ['check', ['--environment', '--active', '--strict']],
  ['bench', SHORT],
  ['bench', [...SHORT, '--episodes']],
])('%s %j sends the secrets that --secret names, and shows them nowhere', async (command, args) => {
  const { code, output } = await commandOnNeedy(command, '--secret', 'NEEDY_TOKEN', '--json', ...args);
  expect({ code, output }).toMatchObject({ code: 0 });
  expect(output).not.toContain('sk-very-secret');
});

test('a check of a server whose setups fail says so, and does not call it the fault of the server', async () => {
  const { code, output } = await commandOnNeedy('check');
  expect(output).toMatch(/none failed/);
  expect(output).toMatch(/^\d+ skipped because the setup failed: 401 NEEDY_TOKEN is missing\. .*--secret NAME$/m);
  expect(output).toContain('as far as it was checked');
  expect(code).toBe(0);
});

test('a lint that could not begin an episode fails, and does not say that nothing is broken', async () => {
  const { code, output } = await commandOnNeedy('check', '--environment', '--level', 'specified');
  expect(output).toMatch(/^ {2}FAIL {2}env\/start/m);
  expect(output).toContain('no episode began, so nothing else could be judged');
  expect(output).toContain('train[0] does not begin: the server answered 401: NEEDY_TOKEN is missing');
  expect(output).not.toContain('No rule');
  expect(output).toMatch(/^tiltyard: 1 requirement is not met: env\/start$/m);
  expect(code).toBe(1);
});

test('--secret without a task to show the tools of is refused, and so is a variable that is not set', async () => {
  const idle = await commandOnNeedy('tools', '--secret', 'NEEDY_TOKEN');
  expect(idle.output).toContain('--secret is for the session of a task: add --split, --index or --task');
  expect(idle.code).toBe(2);
  const unset = await commandOnNeedy('bench', '--secret', 'NOT_SET_ANYWHERE');
  expect(unset.output).toContain('the environment variable NOT_SET_ANYWHERE is not set');
  expect(unset.code).toBe(2);
});

// It declares what it needs, so that the server itself refuses sessions.
const LOCKED = `
import { environment, step } from 'tiltyard';
export const locked = environment({
  name: 'locked',
  requirements: { secrets: ['LOCKED_KEY'] },
  splits: { train: [{ question: 'Where?' }, { question: 'When?' }] },
  prompt: ({ task }) => task.question,
  tools: { submit: { description: 'Answer, which ends it.', run: () => step('Thanks.', { reward: 1, finished: true }) } },
});`;

async function commandOnLocked(command: string, ...args: readonly string[]) {
  const folder = await folderWith({ 'locked.mts': LOCKED });
  const words = args.map((each) => each.replace('OUT', join(folder, 'out')));
  const { exit, output } = run([command, join(folder, 'locked.mts'), ...words], {
    LOCKED_KEY: 'sk-very-secret',
    TILTYARD_API_KEY: '',
  });
  return { code: await exit, output: output() };
}

const ADVICE =
  "environment 'locked' requires the secret LOCKED_KEY. Set the environment variable LOCKED_KEY and add --secret LOCKED_KEY";

test.each([
  ['call', ['submit']],
  ['bench', SHORT],
  ['run', ['--policy', 'random', '--out', 'OUT']],
])('%s says how to give a secret that the environment requires', async (command, args) => {
  const { code, output } = await commandOnLocked(command, ...args);
  expect(output).toContain(ADVICE);
  // After the summary of a run, which has the words of the server.
  expect(output.slice(output.indexOf('tiltyard: '))).not.toContain('X-Secrets');
  expect(code).toBe(1);
});

test('a run without a secret that is required stops at once', async () => {
  const { output } = await commandOnLocked('run', '--policy', 'random', '--out', 'OUT');
  expect(output).toContain('The run was stopped.');
  expect(output).not.toContain('env_error');
});

test('a check without a secret that is required says so once, and does not blame the server', async () => {
  const { code, output } = await commandOnLocked('check', '--active');
  expect(output).toMatch(/none failed/);
  expect(output.split(ADVICE)).toHaveLength(2);
  expect(code).toBe(0);
});

test('a check with it passes, and shows it nowhere', async () => {
  const { code, output } = await commandOnLocked('check', '--active', '--verbose', '--secret', 'LOCKED_KEY');
  expect(output).toMatch(/none failed/);
  expect(output).toMatch(/S17[\s\S]*S19/);
  expect(output).not.toContain('LOCKED_KEY. Set');
  expect(output).not.toContain('sk-very-secret');
  expect(code).toBe(0);
});

test('commands send the secrets of an environment to its address of MCP, and say so if one is missing', async () => {
  const locked = environment({
    name: 'locked',
    requirements: { secrets: ['LOCKED_KEY'] },
    splits: { train: [{}] },
    prompt: () => 'Where?',
    // Those of a task are known only in its episode.
    tools: { submit: { shared: false, description: 'Answer, which ends it.', run: () => 'Thanks.' } },
  });
  await using server = await createServer({ environments: [locked], mcp: true, logger: false });
  const url = await server.listen();
  const addressFor = (episode: string) => `${url}/mcp/locked?episode=${episode}&split=train&index=0`;
  const env = { LOCKED_KEY: 'sk-very-secret', TILTYARD_API_KEY: '' };
  for (const [command = '', ...args] of [['check'], ['tools'], ['call', 'submit']]) {
    const words = [command, addressFor(command), ...args];
    const without = await runHere(words, env);
    expect(without).toMatchObject({ code: 1, output: expect.stringContaining(ADVICE) });
    const given = await runHere([...words, '--secret', 'LOCKED_KEY'], env);
    expect(given).toMatchObject({ code: 0 });
    expect(given.output).not.toContain('sk-very-secret');
  }
});
