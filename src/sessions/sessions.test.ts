import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MINUTE, SECOND } from '../../test/support/clock.ts';
import { errorOf, pass, refOf, SESSION, SWEEP, startHost } from '../../test/support/host.ts';
import { isAbsent } from './host.ts';
import type { LocalHost } from './local-host.ts';
import { MemoryBudget } from './memory/memory-budget.ts';
import { DEFAULT_SESSION_OPTIONS } from './options.ts';
import { Sessions } from './sessions.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Why there is no such session; undefined if there is one. */
function absence(host: LocalHost, ref = SESSION): string | undefined {
  const state = host.touch(ref);
  return isAbsent(state) ? state.code : undefined;
}

function create(host: LocalHost, ref = SESSION): Promise<void> {
  return host.create(ref, { choice: { task: {} }, secrets: {} });
}

describe('a session', () => {
  test('L1: a session lives for 900 seconds without a request, and not much longer', async () => {
    const { host, live, trace } = await startHost();
    await pass(900 * SECOND);
    expect(live()).toBe(1);
    await pass(SWEEP);
    expect(live()).toBe(0);
    expect(trace).toEqual(['setup', 'teardown', 'teardown:end']);
    expect(host.touch(SESSION)).toEqual({
      code: 'session_expired',
      message: "session 's' has expired. Create a new one",
    });
  });

  test('L1: a session lives as long as the option says', async () => {
    const { live } = await startHost({ idleMs: 2 * MINUTE });
    await pass(2 * MINUTE);
    expect(live()).toBe(1);
    await pass(SWEEP);
    expect(live()).toBe(0);
  });

  test('L3: a session lives on after each use', async () => {
    const { host } = await startHost();
    for (let times = 0; times < 3; times += 1) {
      await pass(899 * SECOND);
      expect(host.touch(SESSION)).toMatchObject({ environment: 'gated' });
    }
    await pass(900 * SECOND + SWEEP);
    expect(absence(host)).toBe('session_expired');
  });

  test('L3: a session lives while a call runs, and its full time after that', async () => {
    const { live, call, tool } = await startHost();
    call();
    await pass(60 * MINUTE);
    tool.open();
    await pass(900 * SECOND);
    expect(live()).toBe(1);
    await pass(SWEEP);
    expect(live()).toBe(0);
  });

  test('L8: a session is torn down 5 seconds after its end although a tool still runs', async () => {
    const { host, callTool, trace } = await startHost();
    callTool({ name: 'deaf', input: {} });
    const ended = host.end(SESSION);
    await pass(5 * SECOND - 1);
    expect(trace).toEqual(['setup', 'deaf']);
    await pass(1);
    await ended;
    expect(trace).toEqual(['setup', 'deaf', 'teardown', 'teardown:end']);
  });

  test('L9: a session is given up 30 seconds after its teardown began', async () => {
    const { host, live, teardown } = await startHost({}, { gates: ['teardown'] });
    const ended = host.end(SESSION);
    await teardown.reached;
    await pass(30 * SECOND - 1);
    expect(live()).toBe(1);
    await pass(1);
    await ended;
    expect(live()).toBe(0);
  });

  test('is torn down once, however many end it, and is gone for others from the start', async () => {
    const { host, trace, teardown } = await startHost({}, { gates: ['teardown'] });
    const ending = [host.end(SESSION), host.end(SESSION)];
    expect(absence(host)).toBe('session_gone');
    await expect(host.prompt(SESSION)).rejects.toMatchObject({ code: 'session_gone' });
    await expect(create(host)).rejects.toMatchObject({ code: 'session_exists' });
    await teardown.reached;
    teardown.open();
    await Promise.all(ending);
    expect(trace).toEqual(['setup', 'teardown', 'teardown:end']);
    await expect(host.end(SESSION)).rejects.toMatchObject({ code: 'session_not_found' });
  });

  test('L12: a host that has stopped leaves no timer behind', async () => {
    const { host, call } = await startHost({ drainMs: 20 });
    call();
    expect(vi.getTimerCount()).toBeGreaterThan(0);
    const drained = host.drain();
    await pass(20);
    await drained;
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('what remains of a session', () => {
  test('L5: it is remembered for 15 minutes after its end', async () => {
    const { host } = await startHost();
    await host.end(SESSION);
    await pass(15 * MINUTE - 1);
    expect(host.touch(SESSION)).toEqual({ code: 'session_gone', message: "session 's' was deleted. Create a new one" });
    await pass(1);
    expect(absence(host)).toBe('session_not_found');
  });

  test('L5: when there are too many the oldest is forgotten', async () => {
    const { host } = await startHost({ maxTombstones: 2 });
    for (const sid of ['a', 'b', 'c']) {
      await create(host, refOf(sid));
      await host.end(refOf(sid));
    }
    expect(['a', 'b', 'c'].map((sid) => absence(host, refOf(sid)))).toEqual([
      'session_not_found',
      'session_gone',
      'session_gone',
    ]);
  });

  test('L5: none is remembered if none may be', async () => {
    const { host } = await startHost({ maxTombstones: 0 });
    await host.end(SESSION);
    expect(absence(host)).toBe('session_not_found');
  });

  test('one that ends again is remembered from then on, and is the youngest', async () => {
    const { host } = await startHost({ maxTombstones: 2 });
    for (const sid of ['a', 'b', 'a', 'c']) {
      await create(host, refOf(sid));
      await host.end(refOf(sid));
      await pass(SECOND);
    }
    expect(absence(host, refOf('b'))).toBe('session_not_found');
    await pass(15 * MINUTE - 2 * SECOND - 1);
    expect(absence(host, refOf('a'))).toBe('session_gone');
    await pass(1);
    expect(absence(host, refOf('a'))).toBe('session_not_found');
  });

  test('one that lives again is no longer one that ended', async () => {
    const { host } = await startHost();
    await host.end(SESSION);
    await create(host);
    expect(absence(host)).toBeUndefined();
  });

  test('it belongs to the identity that had it', async () => {
    const { host } = await startHost();
    await create(host, refOf('mine', 'anna'));
    await host.end(refOf('mine', 'anna'));
    expect(absence(host, refOf('mine', 'anna'))).toBe('session_gone');
    expect(absence(host, refOf('mine', 'bert'))).toBe('session_not_found');
    expect(absence(host, refOf('mine'))).toBe('session_not_found');
  });
});

test('L12: a host whose calls end before their time is up leaves no timer behind either', async () => {
  const { host, call, tool } = await startHost();
  call();
  const drained = host.drain();
  tool.open();
  await drained;
  expect(vi.getTimerCount()).toBe(0);
});

test('a host that stops while one of its sessions is let go waits for its calls, and not until its time is up', async () => {
  const { host, call, tool } = await startHost();
  call();
  const gone = Promise.all([host.drain(), host.release(SESSION, MINUTE)]);
  tool.open();
  await gone;
});

test('a session that is let go takes no further call, also if it had none', async () => {
  const { host, call } = await startHost();
  const released = host.release(SESSION, MINUTE);
  expect(errorOf(call())).toBe('shutting_down');
  await released;
});

test('a session that is ended by two at once gives back one place of its identity', async () => {
  const { host } = await startHost({ maxSessionsPerIdentity: 2 });
  const tryToCreate = (sid: string) => create(host, refOf(sid, 'ann')).catch(({ code }) => code);
  for (const sid of ['a', 'b']) expect(await tryToCreate(sid)).toBeUndefined();
  expect(await tryToCreate('c')).toBe('too_many_sessions');
  await Promise.all([host.end(refOf('a', 'ann')), host.end(refOf('a', 'ann'))]);
  expect([await tryToCreate('c'), await tryToCreate('d')]).toEqual([undefined, 'too_many_sessions']);
});

test('what sessions share is swept with them', async () => {
  const swept: number[] = [];
  const sessions = new Sessions(
    DEFAULT_SESSION_OPTIONS,
    new MemoryBudget(DEFAULT_SESSION_OPTIONS),
    (now) => void swept.push(now),
  );
  await pass(10 * SECOND);
  expect(swept).toHaveLength(2);
  await sessions.close('stopped');
  await pass(10 * SECOND);
  expect(swept).toHaveLength(2);
});
