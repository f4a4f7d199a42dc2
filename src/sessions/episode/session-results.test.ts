import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MINUTE, SECOND } from '../../../test/support/clock.ts';
import { errorOf, hear, hostOf, pass, refOf, resultOf, SESSION, startHost } from '../../../test/support/host.ts';
import { minimal } from '../../../test/support/minimal.ts';
import type { SessionOptions } from '../options.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A call of that id, or of a new one, that ended just now. */
async function ended(taskId?: string, options: Partial<SessionOptions> = {}) {
  const started = await startHost(options);
  const first = started.call(taskId);
  started.tool.open();
  await pass(0);
  expect(first.phase).toBe('settled');
  const { id = '' } = first;
  /** Asks for the same call again. */
  const again = () => started.call(id);
  return { ...started, first, id, again };
}

describe('the result of a call', () => {
  test.each([
    ['R3: a result is there at once', 0],
    ['R3: a result is there after 59 seconds', 59 * SECOND],
    ['R3: a result is there after 60 seconds', 60 * SECOND],
  ])('%s', async (_name, ms) => {
    const { again, first, count, id } = await ended();
    await pass(ms);
    const { events } = again();
    expect(events).toMatchObject([
      { kind: 'settled', taskId: id, ending: { kind: 'returned', json: resultOf(first) } },
    ]);
    expect(count('wait')).toBe(1);
  });

  test.each([
    ['R4: a result under an id of the server is gone after 60 seconds, and nothing runs', undefined],
    ['R6: a result under an id of the client is gone after 60 seconds, and nothing runs', 'call-001'],
  ])('%s', async (_name, taskId) => {
    const { again, count } = await ended(taskId);
    for (const ms of [MINUTE + 1, 10 * MINUTE]) {
      await pass(ms);
      expect(errorOf(again())).toBe('unknown_task_id');
    }
    expect(count('wait')).toBe(1);
  });

  test('R13: a result is kept from the end of the call, not from its start', async () => {
    const { call, tool } = await startHost();
    const { id } = call();
    await pass(10 * MINUTE);
    const waiting = call(id);
    expect(waiting.events).toEqual([{ kind: 'accepted', taskId: id }]);
    tool.open();
    await pass(59 * SECOND);
    expect(waiting.phase).toBe('settled');
    expect(resultOf(call(id))).toBe(resultOf(waiting));
    await pass(2 * SECOND);
    expect(errorOf(call(id))).toBe('unknown_task_id');
  });

  test('R13: a result is kept no longer because somebody asked for it', async () => {
    const { again } = await ended();
    await pass(59 * SECOND);
    expect(resultOf(again())).toBeDefined();
    await pass(59 * SECOND);
    expect(errorOf(again())).toBe('unknown_task_id');
  });

  test('R13: a result is kept as long as the option says', async () => {
    const { again } = await ended(undefined, { lingerMs: 5 * MINUTE });
    await pass(5 * MINUTE);
    expect(resultOf(again())).toBeDefined();
    await pass(1);
    expect(errorOf(again())).toBe('unknown_task_id');
  });

  test('R11: is gone with its session, also for a new one of the same id', async () => {
    const { host, again, call, count } = await ended('call-001');
    const { id: ours } = call();
    await pass(0);
    await host.end(SESSION);
    expect(errorOf(again())).toBe('session_gone');
    await host.create(SESSION, { choice: { task: {} }, secrets: {} });
    await pass(0);
    expect(errorOf(call(ours))).toBe('unknown_task_id');
    const anew = again();
    await pass(0);
    expect([anew.phase, count('wait')]).toEqual(['settled', 3]);
  });

  test('belongs to its session: another asks for it in vain', async () => {
    const { host, id } = await ended();
    const other = refOf('other');
    await host.create(other, { choice: { task: {} }, secrets: {} });
    await pass(0);
    expect(errorOf(hear(host, other, { name: 'wait', input: {}, taskId: id }))).toBe('unknown_task_id');
  });
});

describe('an id', () => {
  test('R6: of a client is remembered after its result is gone, for the latest 10,000', async () => {
    const { host, callTool } = hostOf([minimal()]);
    await host.create(SESSION, { choice: { task: {} }, secrets: {} });
    const call = (number: number) => callTool({ name: 'look', input: {}, taskId: `call-${number}` });
    for (let number = 0; number <= 20_000; number += 1) call(number);
    await pass(MINUTE + 1);
    const codes = [20_000, 10_000, 9_999, 0].map((number) => errorOf(call(number)));
    expect(codes).toEqual(['unknown_task_id', 'unknown_task_id', undefined, undefined]);
  });

  test('R5: of nobody starts nothing if it has the form of the server’s, or if clients may choose none', async () => {
    const { call, count } = await startHost();
    expect(errorOf(call('0123456789abcdef'.repeat(2)))).toBe('unknown_task_id');
    const strict = await startHost({ clientTaskIds: 'refuse' });
    expect(errorOf(strict.call('mine'))).toBe('unknown_task_id');
    expect(count('wait') + strict.count('wait')).toBe(0);
  });

  test('is free again when its call was refused, and one that runs keeps its own', async () => {
    const { callTool, call } = await startHost();
    const wrong = () => callTool({ name: 'wait', input: { text: 5 }, taskId: 'mine' });
    expect(errorOf(wrong())).toBe('invalid_input');
    const running = call('mine');
    expect(running.phase).toBe('accepted');
    // It finds the one that runs, whatever it asks for.
    expect(wrong().events).toEqual(running.events);
  });

  test('stays with a refusal that its client may come back for', async () => {
    const { callTool, call, count } = await startHost();
    const request = { name: 'wait', taskId: 'mine', keepRefusal: true };
    expect(errorOf(callTool({ ...request, input: { text: 5 } }))).toBe('invalid_input');
    expect(errorOf(call('mine'))).toBe('invalid_input');
    await pass(MINUTE + 1);
    expect(errorOf(call('mine'))).toBe('unknown_task_id');
    expect(count('wait')).toBe(0);
  });

  test('of the server is told with a refusal that is kept under it', async () => {
    const { callTool, call } = await startHost();
    const refused = callTool({ name: 'nonsense', input: {}, keepRefusal: true });
    expect(refused.id).toMatch(/^[0-9a-f]{32}$/);
    expect(call(refused.id).ending).toEqual(refused.ending);
    const forgotten = callTool({ name: 'nonsense', input: {} });
    expect(errorOf(call(forgotten.id))).toBe('unknown_task_id');
  });
});
