import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { folderWith, run } from '../support/command.ts';

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
