import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MINUTE, SECOND } from '../../../test/support/clock.ts';
import { errorOf, pass, resultOf, SESSION, SWEEP, startHost } from '../../../test/support/host.ts';
import { silent } from '../../core/index.ts';
import type { Observer } from '../events.ts';
import type { SessionOptions } from '../options.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each([false, true])('a setup that takes too long is given up (deaf to its signal: %s)', async (deaf) => {
  const { host, call, setup, trace } = await startHost({ setupMs: 10 * MINUTE }, { gates: ['setup'], deaf });
  const prompt = host.prompt(SESSION).catch(({ code, thrown }) => [code, thrown.message]);
  const waiting = call();
  await pass(10 * MINUTE);
  expect(waiting.phase).toBe('accepted');
  await pass(SWEEP);
  expect(errorOf(waiting)).toBe('setup_failed');
  expect(await prompt).toEqual(['setup_failed', 'it took longer than 600000 ms']);
  // What it gives in the end changes nothing, and there is a teardown for it.
  setup.open();
  await pass(0);
  expect(errorOf(call())).toBe('setup_failed');
  await host.end(SESSION);
  expect(trace).toEqual(['setup', deaf ? 'teardown' : 'teardown:unset', 'teardown:end']);
});

/** What a log and an observer hear of a setup that is ended. */
async function hearing(options: Partial<SessionOptions>, task: { deaf?: boolean }) {
  const heard: string[] = [];
  const warned: string[] = [];
  const log = {
    ...silent,
    error: (_fields: object, message = '') => void heard.push(message),
    warn: (_fields: object, message = '') => void warned.push(message),
  };
  const observer: Observer = {
    on(event) {
      if (event.type === 'setup_ended') heard.push(event.result);
    },
  };
  return { ...(await startHost({ log, observer, ...options }, { gates: ['setup'], ...task })), heard, warned };
}

test.each([false, true])('a setup is cancelled with its session, and is no failure (deaf: %s)', async (deaf) => {
  const { host, setup, heard } = await hearing({}, { deaf });
  const deleted = host.end(SESSION);
  expect(heard).toEqual(['cancelled']);
  await pass(5 * SECOND);
  await deleted;
  setup.open();
  await pass(0);
  expect(heard).toEqual(['cancelled']);
});

test('a setup that was given up ends once, also if its session ends before its code does', async () => {
  const { host, setup, heard } = await hearing({ setupMs: 10 * MINUTE }, { deaf: true });
  await pass(10 * MINUTE + SWEEP);
  const deleted = host.end(SESSION);
  await pass(5 * SECOND);
  await deleted;
  setup.open();
  await pass(0);
  expect(heard).toEqual(["setup of environment 'gated' failed", 'failed']);
});

test('a setup that was given up and ignores its signal is named in the log once, and again when it ends', async () => {
  const { host, setup, warned } = await hearing({ setupMs: 10 * MINUTE }, { deaf: true });
  await pass(10 * MINUTE + SWEEP);
  expect(warned).toEqual([]);
  await pass(5 * SECOND);
  expect(warned).toEqual(['setup ignores its signal: still running 5000 ms after it was told to stop']);
  // Its session ends as well, and waits for it in vain.
  const deleted = host.end(SESSION);
  await pass(5 * SECOND);
  await deleted;
  expect(warned).toHaveLength(1);
  setup.open();
  await pass(0);
  expect(warned.slice(1)).toEqual(['setup ignored its signal, but has ended now']);
});

test('a setup may take as long as it likes if there is no limit', async () => {
  const { live, call, setup, tool } = await startHost({ setupMs: 0 }, { gates: ['setup'] });
  const waiting = call();
  await pass(24 * 60 * MINUTE);
  expect(live()).toBe(1);
  setup.open();
  tool.open();
  await pass(0);
  expect(resultOf(waiting)).toBeDefined();
});

test('L3: a session lives while somebody waits for its setup', async () => {
  const { host, live, setup } = await startHost({}, { gates: ['setup'] });
  const prompt = host.prompt(SESSION);
  await pass(60 * MINUTE);
  setup.open();
  expect(await prompt).toEqual([{ text: 'Wait.', detail: null, type: 'text' }]);
  await pass(900 * SECOND);
  expect(live()).toBe(1);
});

test('L1: a session expires also during setup when nobody waits, and the setup is aborted', async () => {
  const { live, trace } = await startHost({}, { gates: ['setup'] });
  await pass(900 * SECOND + SWEEP);
  expect(live()).toBe(0);
  expect(trace).toEqual(['setup', 'teardown:unset', 'teardown:end']);
});

test('L11: a host that stops waits for who waits for setup to read the tools, and no longer', async () => {
  const { host, setup, trace } = await startHost({}, { gates: ['setup'] });
  const read = host.tools(SESSION);
  const closed = host.drain();
  await pass(9 * SECOND);
  expect(trace).toEqual(['setup']);
  setup.open();
  await pass(0);
  expect(trace).toEqual(['setup', 'teardown', 'teardown:end']);
  await Promise.all([read, closed]);
});

test('R1: a call that waits for setup is told its id after 3 seconds, and can be found by it', async () => {
  const { call, setup, tool } = await startHost({}, { gates: ['setup'] });
  const waiting = call();
  await pass(3 * SECOND - 1);
  expect(waiting.events).toEqual([]);
  await pass(1);
  expect(waiting.events).toEqual([{ kind: 'accepted', taskId: expect.stringMatching(/^[0-9a-f]{32}$/) }]);
  const again = call(waiting.id);
  expect(again.events).toEqual(waiting.events);
  tool.open();
  setup.open();
  await pass(0);
  // Not told twice, although its input is checked only now.
  expect(waiting.events).toMatchObject([{ kind: 'accepted' }, { kind: 'settled', ending: { kind: 'returned' } }]);
  expect(again.ending).toEqual(waiting.ending);
});

test('a call that waits for setup is told its id as soon as its input is taken, if that is sooner', async () => {
  const { call, setup } = await startHost({ announceAfterMs: 10 * MINUTE }, { gates: ['setup'] });
  const waiting = call('mine');
  setup.open();
  await pass(0);
  expect(waiting.events).toEqual([{ kind: 'accepted', taskId: 'mine' }]);
});

test('a call that was told its id while it waited may still be refused, and its refusal is kept', async () => {
  const { callTool, call, setup } = await startHost({}, { gates: ['setup'] });
  const waiting = callTool({ name: 'nonsense', input: {} });
  await pass(3 * SECOND);
  expect(waiting.phase).toBe('accepted');
  setup.open();
  await pass(0);
  expect(errorOf(waiting)).toBe('unknown_tool');
  expect(errorOf(call(waiting.id))).toBe('unknown_tool');
});

test('a call whose session ends while it waits for setup leaves no timer behind', async () => {
  const { host, call } = await startHost({}, { gates: ['setup'] });
  const waiting = call();
  const ended = host.end(SESSION);
  expect(errorOf(waiting)).toBe('session_gone');
  await pass(0);
  await ended;
  await pass(MINUTE);
  expect(waiting.events).toHaveLength(1);
  await host.drain();
  expect(vi.getTimerCount()).toBe(0);
});
