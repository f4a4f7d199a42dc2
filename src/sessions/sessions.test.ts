import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MINUTE, SECOND } from '../../test/support/clock.ts';
import { Gate, gated } from '../../test/support/gates.ts';
import { catalog, environment, silent } from '../core/index.ts';
import type { Call } from './call.ts';
import { LocalHost } from './host.ts';
import { type Observer, unobserved } from './observer.ts';
import { DEFAULT_SESSION_OPTIONS, type SessionOptions } from './options.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A host with one session `s`, at the defaults but for what a test changes. */
async function start(options: Partial<SessionOptions> = {}, task: { gates?: string[]; deaf?: boolean } = {}) {
  const gates = gated();
  const host = new LocalHost(catalog(gates.environments), { ...DEFAULT_SESSION_OPTIONS, ...options });
  await host.create('s', { choice: { task }, secrets: {} });
  await vi.advanceTimersByTimeAsync(0);
  const call = (taskId?: string) => host.call('s', { name: 'wait', input: {}, taskId });
  return { ...gates, host, call };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

function errorOf({ ending }: Call): string | undefined {
  return ending?.kind === 'result' ? undefined : ending?.error.code;
}

describe('the result of a call', () => {
  /** A call of that id, or of a new one, that ended just now. */
  async function ended(taskId?: string, options: Partial<SessionOptions> = {}) {
    const started = await start(options);
    const first = started.call(taskId);
    started.tool.open();
    await pass(0);
    expect(first.phase).toBe('settled');
    return { ...started, first };
  }

  test.each([
    ['R3: a result is there at once', 0],
    ['R3: a result is there after 59 seconds', 59 * SECOND],
    ['R3: a result is there after 60 seconds', 60 * SECOND],
  ])('%s', async (_name, ms) => {
    const { call, first, count } = await ended();
    await pass(ms);
    expect(call(first.id)).toBe(first);
    expect(count('wait')).toBe(1);
  });

  test.each([
    ['R4: a result under an id of the server is gone after 60 seconds, and nothing runs', undefined],
    ['R6: a result under an id of the client is gone after 60 seconds, and nothing runs', 'call-001'],
  ])('%s', async (_name, taskId) => {
    const { call, first, count } = await ended(taskId);
    for (const ms of [MINUTE + 1, 10 * MINUTE]) {
      await pass(ms);
      expect(errorOf(call(first.id))).toBe('unknown_task_id');
    }
    expect(count('wait')).toBe(1);
  });

  test('R13: a result is kept from the end of the call, not from its start', async () => {
    const { call, tool } = await start();
    const first = call();
    await pass(10 * MINUTE);
    expect(call(first.id)).toBe(first);
    tool.open();
    await pass(59 * SECOND);
    expect(call(first.id)).toBe(first);
    await pass(2 * SECOND);
    expect(errorOf(call(first.id))).toBe('unknown_task_id');
  });

  test('R13: a result is kept no longer because somebody asked for it', async () => {
    const { call, first } = await ended();
    await pass(59 * SECOND);
    expect(call(first.id)).toBe(first);
    await pass(59 * SECOND);
    expect(errorOf(call(first.id))).toBe('unknown_task_id');
  });

  test('R13: a result is kept as long as the option says', async () => {
    const { call, first } = await ended(undefined, { lingerMs: 5 * MINUTE });
    await pass(5 * MINUTE);
    expect(call(first.id)).toBe(first);
    await pass(1);
    expect(errorOf(call(first.id))).toBe('unknown_task_id');
  });
});

describe('a session', () => {
  // The sweep comes every five seconds.
  const SWEEP = 5 * SECOND;

  test('L1: a session lives for 900 seconds without a request, and not much longer', async () => {
    const { host, trace } = await start();
    await pass(900 * SECOND);
    expect(host.size).toBe(1);
    await pass(SWEEP);
    expect(host.size).toBe(0);
    expect(trace).toEqual(['setup', 'teardown', 'teardown:end']);
    expect(() => host.environmentOf('s')).toThrow('has expired');
  });

  test('L1: a session lives as long as the option says', async () => {
    const { host } = await start({ idleMs: 2 * MINUTE });
    await pass(2 * MINUTE);
    expect(host.size).toBe(1);
    await pass(SWEEP);
    expect(host.size).toBe(0);
  });

  test('L3: a session lives on after each use', async () => {
    const { host } = await start();
    for (let times = 0; times < 3; times += 1) {
      await pass(899 * SECOND);
      expect(host.touch('s')).toBe(true);
    }
    await pass(900 * SECOND + SWEEP);
    expect(host.touch('s')).toBe(false);
  });

  test('L3: a session lives while a call runs, and its full time after that', async () => {
    const { host, call, tool } = await start();
    call();
    await pass(60 * MINUTE);
    tool.open();
    await pass(900 * SECOND);
    expect(host.size).toBe(1);
    await pass(SWEEP);
    expect(host.size).toBe(0);
  });

  test.each([false, true])('a setup that takes too long is given up (deaf to its signal: %s)', async (deaf) => {
    const { host, call, setup, trace } = await start({ setupMs: 10 * MINUTE }, { gates: ['setup'], deaf });
    const prompt = host.prompt('s').catch(({ code, thrown }) => [code, thrown.message]);
    const waiting = call();
    await pass(10 * MINUTE);
    expect(waiting.phase).toBe('arriving');
    await pass(SWEEP);
    expect(errorOf(waiting)).toBe('setup_failed');
    expect(await prompt).toEqual(['setup_failed', 'it took longer than 600000 ms']);
    // What it gives in the end changes nothing, and there is a teardown for it.
    setup.open();
    await pass(0);
    expect(errorOf(call())).toBe('setup_failed');
    await host.delete('s');
    expect(trace).toEqual(['setup', deaf ? 'teardown' : 'teardown:unset', 'teardown:end']);
  });

  /** What a log and an observer hear of a setup that is ended. */
  async function hearing(options: Partial<SessionOptions>, task: { deaf?: boolean }) {
    const heard: string[] = [];
    const log = { ...silent, error: (_fields: object, message = '') => void heard.push(message) };
    const observer: Observer = { ...unobserved, setupEnded: (_session, result) => void heard.push(result) };
    return { ...(await start({ log, observer, ...options }, { gates: ['setup'], ...task })), heard };
  }

  test.each([false, true])('a setup is cancelled with its session, and is no failure (deaf: %s)', async (deaf) => {
    const { host, setup, heard } = await hearing({}, { deaf });
    const deleted = host.delete('s');
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
    const deleted = host.delete('s');
    await pass(5 * SECOND);
    await deleted;
    setup.open();
    await pass(0);
    expect(heard).toEqual(["setup of environment 'gated' failed", 'failed']);
  });

  test('a setup may take as long as it likes if there is no limit', async () => {
    const { host, call, setup, tool } = await start({ setupMs: 0 }, { gates: ['setup'] });
    const waiting = call();
    await pass(24 * 60 * MINUTE);
    expect(host.size).toBe(1);
    setup.open();
    tool.open();
    await pass(0);
    expect(waiting.ending?.kind).toBe('result');
  });

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

  test('L3: a session lives while somebody waits for its setup', async () => {
    const { host, setup } = await start({}, { gates: ['setup'] });
    const prompt = host.prompt('s');
    await pass(60 * MINUTE);
    setup.open();
    expect(await prompt).toEqual([{ text: 'Wait.', detail: null, type: 'text' }]);
    await pass(900 * SECOND);
    expect(host.size).toBe(1);
  });

  test('L1: a session expires also during setup when nobody waits, and the setup is aborted', async () => {
    const { host, trace } = await start({}, { gates: ['setup'] });
    await pass(900 * SECOND + SWEEP);
    expect(host.size).toBe(0);
    expect(trace).toEqual(['setup', 'teardown:unset', 'teardown:end']);
  });

  test('L8: a session is torn down 5 seconds after its end although a tool still runs', async () => {
    const { host, trace } = await start();
    host.call('s', { name: 'deaf', input: {} });
    const deleted = host.delete('s');
    await pass(5 * SECOND - 1);
    expect(trace).toEqual(['setup', 'deaf']);
    await pass(1);
    await deleted;
    expect(trace).toEqual(['setup', 'deaf', 'teardown', 'teardown:end']);
  });

  test('L9: a session is given up 30 seconds after its teardown began', async () => {
    const { host, teardown } = await start({}, { gates: ['teardown'] });
    const deleted = host.delete('s');
    await teardown.reached;
    await pass(30 * SECOND - 1);
    expect(host.size).toBe(1);
    await pass(1);
    await deleted;
    expect(host.size).toBe(0);
  });

  test('L5: a session is remembered for 15 minutes after its end', async () => {
    const { host } = await start();
    await host.delete('s');
    await pass(15 * MINUTE - 1);
    expect(() => host.environmentOf('s')).toThrow('was deleted');
    await pass(1);
    expect(() => host.environmentOf('s')).toThrow("no session 's'");
  });

  test('L12: a host that is closed leaves no timer behind', async () => {
    const { host, call } = await start({ drainMs: 20 });
    call();
    expect(vi.getTimerCount()).toBeGreaterThan(0);
    const closed = host.close();
    await pass(20);
    await closed;
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a task that is never there', () => {
  /** A host, and a session of it whose task never comes. */
  async function startWithout(options: Partial<SessionOptions> = {}) {
    const endless = environment({
      name: 'endless',
      splits: { train: { count: 1, get: () => new Promise<object>(() => {}) } },
      prompt: () => '',
      tools: { act: { run: () => 'done' } },
    });
    const host = new LocalHost(catalog([endless]), { ...DEFAULT_SESSION_OPTIONS, maxSessions: 1, ...options });
    const failed = host
      .create('s', { choice: { split: 'train', index: 0 }, secrets: {} })
      .catch(({ code, message }) => [code, message]);
    await pass(0);
    const another = () => host.create('s', { choice: { task: {} }, secrets: {} });
    return { host, failed, another };
  }

  test('is given up after the time for setups, and takes no place', async () => {
    const { host, failed, another } = await startWithout({ setupMs: 10 * MINUTE });
    await pass(10 * MINUTE);
    await expect(another()).rejects.toThrow('already exists');
    await pass(5 * SECOND);
    expect(await failed).toEqual(['environment_failed', "the task of session 's' could not be read"]);
    await another();
    expect(host.size).toBe(1);
  });

  test('can be deleted, and takes no place', async () => {
    const { host, failed, another } = await startWithout();
    await host.delete('s');
    expect(await failed).toEqual(['session_gone', "session 's' was deleted. Create a new one"]);
    await another();
    expect(host.size).toBe(1);
  });

  test('L11: does not hold up a server that stops', async () => {
    const { host, failed } = await startWithout();
    await host.close();
    expect(await failed).toEqual(['shutting_down', 'the server is stopping and takes no new sessions']);
  });
});

describe('the calls of a session', () => {
  test('take only so many bytes while they wait, and one is always taken', async () => {
    const { host, tool } = await start({ maxInputBytes: 100 });
    const call = (bytes: number) => host.call('s', { name: 'wait', input: {}, bytes });
    const first = call(1_000);
    expect(errorOf(call(1))).toBe('too_many_calls');
    tool.open();
    await pass(0);
    expect(first.phase).toBe('settled');
    expect(errorOf(call(60))).toBeUndefined();
    await pass(0);
    expect(errorOf(call(60))).toBeUndefined();
  });

  test('and those who wait for setup to read have the same limit', async () => {
    const { host, setup } = await start({ maxCallsInFlight: 1, maxCallsQueued: 1 }, { gates: ['setup'] });
    const reads = [host.prompt('s'), host.tools('s')];
    await expect(host.prompt('s')).rejects.toMatchObject({ code: 'too_many_calls' });
    setup.open();
    expect(await Promise.all(reads)).toHaveLength(2);
  });
});
