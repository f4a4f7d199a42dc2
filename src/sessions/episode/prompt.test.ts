import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MINUTE, SECOND } from '../../../test/support/clock.ts';
import { Gate } from '../../../test/support/gates.ts';
import { pass, SWEEP } from '../../../test/support/host.ts';
import { catalog, environment } from '../../core/index.ts';
import { LocalHost } from '../host.ts';
import { DEFAULT_SESSION_OPTIONS } from '../options.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A host with a session `s` whose prompt waits for the test. */
async function startWithSlowPrompt() {
  const prompt = new Gate();
  const trace: string[] = [];
  const slow = environment({
    name: 'slow',
    splits: { train: [{}] },
    async prompt() {
      await prompt.pass();
      trace.push('prompt');
      return 'Begin.';
    },
    tools: { act: { run: () => 'done' } },
    teardown: () => void trace.push('teardown'),
  });
  const host = new LocalHost(catalog([slow]), DEFAULT_SESSION_OPTIONS);
  await host.create('s', { choice: { task: {} }, secrets: {} });
  const read = host.prompt('s');
  await prompt.reached;
  return { host, prompt, read, trace };
}

test('L3: a prompt that is being made keeps its session alive', async () => {
  const { host, prompt, read } = await startWithSlowPrompt();
  await pass(24 * 60 * MINUTE);
  expect(host.size).toBe(1);
  prompt.open();
  expect(await read).toMatchObject([{ text: 'Begin.' }]);
  await pass(900 * SECOND + SWEEP);
  expect(host.size).toBe(0);
});

test('L8: a session is not torn down under its prompt, for 5 seconds', async () => {
  const { host, prompt, read, trace } = await startWithSlowPrompt();
  const deleted = host.delete('s');
  await pass(4 * SECOND);
  prompt.open();
  await Promise.all([read, deleted]);
  expect(trace).toEqual(['prompt', 'teardown']);
  const late = await startWithSlowPrompt();
  const given = late.host.delete('s');
  await pass(5 * SECOND);
  await given;
  expect(late.trace).toEqual(['teardown']);
});

test('L3: a session lives its full time after a prompt that took long', async () => {
  const slow = environment({
    name: 'slow',
    splits: { train: [{}] },
    prompt: () => new Promise<string>((resolve) => setTimeout(resolve, 10 * MINUTE, 'Begin.')),
    tools: { act: { run: () => 'done' } },
  });
  const host = new LocalHost(catalog([slow]), DEFAULT_SESSION_OPTIONS);
  await host.create('s', { choice: { task: {} }, secrets: {} });
  const prompt = host.prompt('s');
  await pass(10 * MINUTE);
  await prompt;
  await pass(900 * SECOND);
  expect(host.size).toBe(1);
  await pass(SWEEP);
  expect(host.size).toBe(0);
});

test('L11: a host that stops waits for a prompt that is being made, and no longer', async () => {
  const { host, prompt, read, trace } = await startWithSlowPrompt();
  const closed = host.close();
  await pass(9 * SECOND);
  expect(trace).toEqual([]);
  prompt.open();
  await pass(0);
  expect(trace).toEqual(['prompt', 'teardown']);
  await Promise.all([read, closed]);
});
