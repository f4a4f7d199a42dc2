import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MINUTE, SECOND } from '../../../test/support/clock.ts';
import { Gate } from '../../../test/support/gates.ts';
import { hostOf, pass, SESSION, SWEEP } from '../../../test/support/host.ts';
import { environment } from '../../core/index.ts';

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
  const made = hostOf([slow]);
  await made.host.create(SESSION, { choice: { task: {} }, secrets: {} });
  const read = made.host.prompt(SESSION);
  await prompt.reached;
  return { ...made, prompt, read, trace };
}

test('L3: a prompt that is being made keeps its session alive', async () => {
  const { live, prompt, read } = await startWithSlowPrompt();
  await pass(24 * 60 * MINUTE);
  expect(live()).toBe(1);
  prompt.open();
  expect(await read).toMatchObject([{ text: 'Begin.' }]);
  await pass(900 * SECOND + SWEEP);
  expect(live()).toBe(0);
});

test('a prompt is made once, however many read it at once or later', async () => {
  const { host, prompt, read, trace } = await startWithSlowPrompt();
  const reads = [read, host.prompt(SESSION)];
  prompt.open();
  await Promise.all(reads);
  expect(await host.prompt(SESSION)).toEqual(await read);
  expect(trace).toEqual(['prompt']);
});

test('a prompt that failed is made again', async () => {
  let tries = 0;
  const shaky = environment({
    name: 'shaky',
    splits: { train: [{}] },
    prompt() {
      tries += 1;
      if (tries === 1) throw new Error('broken');
      return 'Begin.';
    },
    tools: { act: { run: () => 'done' } },
  });
  const { host, events } = hostOf([shaky]);
  await host.create(SESSION, { choice: { task: {} }, secrets: {} });
  await expect(host.prompt(SESSION)).rejects.toMatchObject({ code: 'environment_failed' });
  expect(await host.prompt(SESSION)).toMatchObject([{ text: 'Begin.' }]);
  await host.end(SESSION);
  // It succeeded in the end: nothing of the episode is broken.
  expect(events.at(-1)).toMatchObject({ type: 'session_ended', outcome: 'cancelled' });
});

test('L8: a session is not torn down under its prompt, for 5 seconds', async () => {
  const { host, prompt, read, trace } = await startWithSlowPrompt();
  const ended = host.end(SESSION);
  await pass(4 * SECOND);
  prompt.open();
  await Promise.all([read, ended]);
  expect(trace).toEqual(['prompt', 'teardown']);
  const late = await startWithSlowPrompt();
  const given = late.host.end(SESSION);
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
  const { host, live } = hostOf([slow]);
  await host.create(SESSION, { choice: { task: {} }, secrets: {} });
  const prompt = host.prompt(SESSION);
  await pass(10 * MINUTE);
  await prompt;
  await pass(900 * SECOND);
  expect(live()).toBe(1);
  await pass(SWEEP);
  expect(live()).toBe(0);
});

test('L11: a host that stops waits for a prompt that is being made, and no longer', async () => {
  const { host, prompt, read, trace } = await startWithSlowPrompt();
  const drained = host.drain();
  await pass(9 * SECOND);
  expect(trace).toEqual([]);
  prompt.open();
  await pass(0);
  expect(trace).toEqual(['prompt', 'teardown']);
  await Promise.all([read, drained]);
});
