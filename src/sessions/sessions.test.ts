import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MINUTE, SECOND } from '../../test/support/clock.ts';
import { Gate, gated } from '../../test/support/gates.ts';
import { catalog, environment, silent, step } from '../core/index.ts';
import type { Call } from './call.ts';
import { LocalHost } from './host.ts';
import { toSessionKey } from './key.ts';
import { type Observer, unobserved } from './observer.ts';
import { DEFAULT_SESSION_OPTIONS, type SessionOptions } from './options.ts';
import { Sessions } from './sessions.ts';

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
    const warned: string[] = [];
    const log = {
      ...silent,
      error: (_fields: object, message = '') => void heard.push(message),
      warn: (_fields: object, message = '') => void warned.push(message),
    };
    const observer: Observer = { ...unobserved, setupEnded: (_session, result) => void heard.push(result) };
    return { ...(await start({ log, observer, ...options }, { gates: ['setup'], ...task })), heard, warned };
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

  test('a setup that was given up and ignores its signal is named in the log once, and again when it ends', async () => {
    const { host, setup, warned } = await hearing({ setupMs: 10 * MINUTE }, { deaf: true });
    await pass(10 * MINUTE + SWEEP);
    expect(warned).toEqual([]);
    await pass(5 * SECOND);
    expect(warned).toEqual(['setup ignores its signal: it still runs 5000 ms after it was told to stop']);
    // Its session ends as well, and waits for it in vain.
    const deleted = host.delete('s');
    await pass(5 * SECOND);
    await deleted;
    expect(warned).toHaveLength(1);
    setup.open();
    await pass(0);
    expect(warned.slice(1)).toEqual(['setup ignored its signal, and has ended now']);
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

  test('L11: a host that stops waits for who waits for setup to read the tools, and no longer', async () => {
    const { host, setup, trace } = await start({}, { gates: ['setup'] });
    const read = host.tools('s');
    const closed = host.close();
    await pass(9 * SECOND);
    expect(trace).toEqual(['setup']);
    setup.open();
    await pass(0);
    expect(trace).toEqual(['setup', 'teardown', 'teardown:end']);
    await Promise.all([read, closed]);
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

test('L12: a host whose calls end before their time is up leaves no timer behind either', async () => {
  const { host, call, tool } = await start();
  call();
  const closed = host.close();
  tool.open();
  await closed;
  expect(vi.getTimerCount()).toBe(0);
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

test('S30: a delete at any moment of a creation leaves no episode behind', async () => {
  for (let turns = 0; turns < 20; turns += 1) {
    const { host } = await start();
    const created = host.create('early', { choice: { task: {} }, secrets: {} }).catch(({ code }) => code);
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    const deleted = host.delete('early');
    await pass(0);
    await deleted;
    // Either it was there, and is gone, or it was called off.
    expect([undefined, 'session_gone']).toContain(await created);
    expect(host.size, `after ${turns} turns`).toBe(1);
    await host.close();
  }
});

test('a session that is ended by two at once gives back one place of its identity', async () => {
  const { host } = await start({ maxSessionsPerIdentity: 2 });
  const key = (sid: string) => toSessionKey('ann', sid);
  const create = (sid: string) =>
    host.create(key(sid), { choice: { task: {} }, secrets: {} }).catch(({ code }) => code);
  for (const sid of ['a', 'b']) expect(await create(sid)).toBeUndefined();
  expect(await create('c')).toBe('too_many_sessions');
  await Promise.all([host.delete(key('a')), host.delete(key('a'))]);
  expect([await create('c'), await create('d')]).toEqual([undefined, 'too_many_sessions']);
});

test('what sessions share is swept with them', async () => {
  const swept: number[] = [];
  const sessions = new Sessions(DEFAULT_SESSION_OPTIONS, (now) => void swept.push(now));
  await pass(10 * SECOND);
  expect(swept).toHaveLength(2);
  await sessions.close('stopped');
  await pass(10 * SECOND);
  expect(swept).toHaveLength(2);
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

  test('may take all the bytes there are, not one more, and give them back when they end', async () => {
    const { host, tool } = await start({ maxInputBytes: 100, maxCallsInFlight: 1 });
    const call = (bytes: number, input = {}) => host.call('s', { name: 'wait', input, bytes });
    // The first is refused for its input, and takes nothing.
    expect(errorOf(call(1_000, { text: 5 }))).toBe('invalid_input');
    const waiting = [call(60), call(40)];
    expect(errorOf(call(1))).toBe('too_many_calls');
    tool.open();
    await pass(0);
    expect(waiting.map(({ phase }) => phase)).toEqual(['settled', 'settled']);
    // In the same turn, so that all of them are there together.
    expect([call(60), call(40), call(1)].map(errorOf)).toEqual([undefined, undefined, 'too_many_calls']);
  });

  test('that wait for their turn are all refused when the one before them finishes the episode', async () => {
    const gate = new Gate();
    const finishing = environment({
      name: 'finishing',
      splits: { train: [{}] },
      prompt: () => '',
      tools: { end: { run: () => gate.pass().then(() => step('done', { finished: true })) } },
    });
    const options = { ...DEFAULT_SESSION_OPTIONS, callsAfterFinish: 'refuse' as const };
    const host = new LocalHost(catalog([finishing]), options);
    await host.create('s', { choice: { task: {} }, secrets: {} });
    const calls = Array.from({ length: 3 }, () => host.call('s', { name: 'end', input: {} }));
    gate.open();
    await pass(0);
    expect(calls.map(({ phase }) => phase)).toEqual(['settled', 'settled', 'settled']);
    expect(calls.map(errorOf)).toEqual([undefined, 'episode_finished', 'episode_finished']);
  });

  test('that name no tool are told so in few words, however long the name is', async () => {
    const { host } = await start();
    const { ending } = host.call('s', { name: 'x'.repeat(1_000_000), input: {} });
    expect(ending).toMatchObject({ kind: 'refused', error: { code: 'unknown_tool' } });
    expect(ending?.kind === 'refused' && ending.error.message.length).toBeLessThan(300);
  });

  test('whose tool ignores its time limit are in the log with how long it has run, from its start', async () => {
    const warned: object[] = [];
    const log = { ...silent, warn: (fields: object, message = '') => void warned.push({ ...fields, message }) };
    const deaf = environment({
      name: 'deaf',
      splits: { train: [{}] },
      prompt: () => '',
      tools: { act: { timeoutMs: 20 * SECOND, run: () => new Promise<string>(() => {}) } },
    });
    const host = new LocalHost(catalog([deaf]), { ...DEFAULT_SESSION_OPTIONS, log });
    await host.create('s', { choice: { task: {} }, secrets: {} });
    host.call('s', { name: 'act', input: {} });
    await pass(25 * SECOND);
    expect(warned).toMatchObject([
      { message: "tool 'act' took longer than 20000 ms" },
      { message: expect.stringContaining('ignores its signal'), ranMs: 25 * SECOND, ignoredMs: 5 * SECOND },
    ]);
  });

  test('and those who wait for setup to read have the same limit', async () => {
    const { host, setup } = await start({ maxCallsInFlight: 1, maxCallsQueued: 1 }, { gates: ['setup'] });
    const reads = [host.prompt('s'), host.tools('s')];
    await expect(host.prompt('s')).rejects.toMatchObject({ code: 'too_many_calls' });
    setup.open();
    expect(await Promise.all(reads)).toHaveLength(2);
  });
});
