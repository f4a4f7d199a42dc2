import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MINUTE, SECOND } from '../../../test/support/clock.ts';
import { errorOf, pass, startHost } from '../../../test/support/host.ts';
import type { SessionOptions } from '../options.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the result of a call', () => {
  /** A call of that id, or of a new one, that ended just now. */
  async function ended(taskId?: string, options: Partial<SessionOptions> = {}) {
    const started = await startHost(options);
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
    const { call, tool } = await startHost();
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
