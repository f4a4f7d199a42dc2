import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MINUTE, SECOND } from '../../test/support/clock.ts';
import { hostOf, pass, refOf, SESSION, startHost } from '../../test/support/host.ts';
import { environment } from '../core/index.ts';
import type { SessionOptions } from './options.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a task that is never there', () => {
  /** A host, and a session of it whose task never comes. */
  async function startWithout(options: Partial<SessionOptions> = {}) {
    const endless = environment({
      name: 'endless',
      splits: { train: { count: 1, get: () => new Promise<object>(() => {}) } },
      prompt: () => '',
      tools: { act: { run: () => 'done' } },
    });
    const made = hostOf([endless], { maxSessions: 1, ...options });
    const failed = made.host
      .create(SESSION, { choice: { split: 'train', index: 0 }, secrets: {} })
      .catch(({ code, message }) => [code, message]);
    await pass(0);
    const another = () => made.host.create(SESSION, { choice: { task: {} }, secrets: {} });
    return { ...made, failed, another };
  }

  test('is given up after the time for setups, and takes no place', async () => {
    const { live, failed, another } = await startWithout({ setupMs: 10 * MINUTE });
    await pass(10 * MINUTE);
    await expect(another()).rejects.toThrow('already exists');
    await pass(5 * SECOND);
    expect(await failed).toEqual(['environment_failed', "the task of session 's' could not be read"]);
    await another();
    expect(live()).toBe(1);
  });

  test('can be deleted, and takes no place', async () => {
    const { host, live, failed, another } = await startWithout();
    await host.end(SESSION);
    expect(await failed).toEqual(['session_gone', "session 's' was deleted. Create a new one"]);
    await another();
    expect(live()).toBe(1);
  });

  test('is no session yet', async () => {
    const { host, callTool } = await startWithout();
    expect(host.touch(SESSION)).toMatchObject({ code: 'session_not_found' });
    expect(callTool({ name: 'act', input: {} }).ending).toMatchObject({ failure: { code: 'session_not_found' } });
  });

  test('L11: does not hold up a server that stops', async () => {
    const { host, failed } = await startWithout();
    await host.drain();
    expect(await failed).toEqual(['shutting_down', 'the server is stopping and accepts no new sessions']);
  });
});

test('S30: a delete at any moment of a creation leaves no episode behind', async () => {
  for (let turns = 0; turns < 20; turns += 1) {
    const { host, live, count } = await startHost();
    const early = refOf('early');
    const created = host.create(early, { choice: { task: {} }, secrets: {} }).catch(({ code }) => code);
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    const deleted = host.end(early);
    await pass(0);
    await deleted;
    // Either it was there, and is gone, or it was called off.
    expect([undefined, 'session_gone']).toContain(await created);
    expect(live(), `after ${turns} turns`).toBe(1);
    expect(count('setup') - 1, `after ${turns} turns`).toBe(count('teardown:end'));
    await host.drain();
  }
});
