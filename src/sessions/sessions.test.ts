import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MINUTE, SECOND } from '../../test/support/clock.ts';
import { pass, SWEEP, startHost } from '../../test/support/host.ts';
import { toSessionKey } from './key.ts';
import { DEFAULT_SESSION_OPTIONS } from './options.ts';
import { Sessions } from './sessions.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a session', () => {
  test('L1: a session lives for 900 seconds without a request, and not much longer', async () => {
    const { host, trace } = await startHost();
    await pass(900 * SECOND);
    expect(host.size).toBe(1);
    await pass(SWEEP);
    expect(host.size).toBe(0);
    expect(trace).toEqual(['setup', 'teardown', 'teardown:end']);
    expect(() => host.environmentOf('s')).toThrow('has expired');
  });

  test('L1: a session lives as long as the option says', async () => {
    const { host } = await startHost({ idleMs: 2 * MINUTE });
    await pass(2 * MINUTE);
    expect(host.size).toBe(1);
    await pass(SWEEP);
    expect(host.size).toBe(0);
  });

  test('L3: a session lives on after each use', async () => {
    const { host } = await startHost();
    for (let times = 0; times < 3; times += 1) {
      await pass(899 * SECOND);
      expect(host.touch('s')).toBe(true);
    }
    await pass(900 * SECOND + SWEEP);
    expect(host.touch('s')).toBe(false);
  });

  test('L3: a session lives while a call runs, and its full time after that', async () => {
    const { host, call, tool } = await startHost();
    call();
    await pass(60 * MINUTE);
    tool.open();
    await pass(900 * SECOND);
    expect(host.size).toBe(1);
    await pass(SWEEP);
    expect(host.size).toBe(0);
  });

  test('L8: a session is torn down 5 seconds after its end although a tool still runs', async () => {
    const { host, trace } = await startHost();
    host.call('s', { name: 'deaf', input: {} });
    const deleted = host.delete('s');
    await pass(5 * SECOND - 1);
    expect(trace).toEqual(['setup', 'deaf']);
    await pass(1);
    await deleted;
    expect(trace).toEqual(['setup', 'deaf', 'teardown', 'teardown:end']);
  });

  test('L9: a session is given up 30 seconds after its teardown began', async () => {
    const { host, teardown } = await startHost({}, { gates: ['teardown'] });
    const deleted = host.delete('s');
    await teardown.reached;
    await pass(30 * SECOND - 1);
    expect(host.size).toBe(1);
    await pass(1);
    await deleted;
    expect(host.size).toBe(0);
  });

  test('L5: a session is remembered for 15 minutes after its end', async () => {
    const { host } = await startHost();
    await host.delete('s');
    await pass(15 * MINUTE - 1);
    expect(() => host.environmentOf('s')).toThrow('was deleted');
    await pass(1);
    expect(() => host.environmentOf('s')).toThrow("no session 's'");
  });

  test('L12: a host that is closed leaves no timer behind', async () => {
    const { host, call } = await startHost({ drainMs: 20 });
    call();
    expect(vi.getTimerCount()).toBeGreaterThan(0);
    const closed = host.close();
    await pass(20);
    await closed;
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('L12: a host whose calls end before their time is up leaves no timer behind either', async () => {
  const { host, call, tool } = await startHost();
  call();
  const closed = host.close();
  tool.open();
  await closed;
  expect(vi.getTimerCount()).toBe(0);
});

test('a session that is ended by two at once gives back one place of its identity', async () => {
  const { host } = await startHost({ maxSessionsPerIdentity: 2 });
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
