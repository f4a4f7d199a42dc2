import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { SECOND } from '../../../test/support/clock.ts';
import { Gate } from '../../../test/support/gates.ts';
import { errorOf, hear, hostOf, pass, refOf, resultOf, SESSION, startHost } from '../../../test/support/host.ts';
import { environment, silent, step } from '../../core/index.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the calls of a session', () => {
  test('take only so many bytes while they wait, and one is always taken', async () => {
    const { callTool, tool } = await startHost({ maxInputBytes: 100 });
    const call = (bytes: number) => callTool({ name: 'wait', input: {}, bytes });
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
    const { callTool, tool } = await startHost({ maxInputBytes: 100, maxCallsInFlight: 1 });
    const call = (bytes: number, input = {}) => callTool({ name: 'wait', input, bytes });
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
    const { host, callTool } = hostOf([finishing], { callsAfterFinish: 'refuse' });
    await host.create(SESSION, { choice: { task: {} }, secrets: {} });
    const calls = Array.from({ length: 3 }, () => callTool({ name: 'end', input: {} }));
    gate.open();
    await pass(0);
    expect(calls.map(({ phase }) => phase)).toEqual(['settled', 'settled', 'settled']);
    expect(calls.map(errorOf)).toEqual([undefined, 'episode_finished', 'episode_finished']);
  });

  test('that name no tool are told so in few words, however long the name is', async () => {
    const { callTool } = await startHost();
    const { ending } = callTool({ name: 'x'.repeat(1_000_000), input: {} });
    expect(ending).toMatchObject({ kind: 'refused', failure: { code: 'unknown_tool' } });
    expect(ending?.kind === 'refused' && ending.failure.message.length).toBeLessThan(300);
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
    const { host, callTool } = hostOf([deaf], { log });
    await host.create(SESSION, { choice: { task: {} }, secrets: {} });
    callTool({ name: 'act', input: {} });
    await pass(25 * SECOND);
    expect(warned).toMatchObject([
      { message: "tool 'act' took longer than 20000 ms" },
      { message: expect.stringContaining('ignores its signal'), ranMs: 25 * SECOND, ignoredMs: 5 * SECOND },
    ]);
  });

  test('and those who wait for setup to read have the same limit', async () => {
    const { host, setup } = await startHost({ maxCallsInFlight: 1, maxCallsQueued: 1 }, { gates: ['setup'] });
    const reads = [host.prompt(SESSION), host.tools(SESSION)];
    await expect(host.prompt(SESSION)).rejects.toMatchObject({ code: 'too_many_calls' });
    setup.open();
    expect(await Promise.all(reads)).toHaveLength(2);
  });

  test('are refused if they name another environment than the session runs, in any case', async () => {
    const { callTool, tool, count } = await startHost();
    const call = (environment: string) => callTool({ name: 'wait', input: {}, environment, taskId: 'mine' });
    expect(call('other').ending).toEqual({
      kind: 'refused',
      failure: { code: 'environment_mismatch', message: "session 's' runs environment 'gated', not 'other'" },
    });
    tool.open();
    const first = call('gated');
    await pass(0);
    expect(resultOf(first)).toBeDefined();
    expect(resultOf(call('GATED'))).toBe(resultOf(first));
    expect(errorOf(call('other'))).toBe('environment_mismatch');
    expect(count('wait')).toBe(1);
  });

  test('are refused by a server that stops, except for those that are known', async () => {
    const { host, call, tool } = await startHost();
    const running = call('mine');
    const drained = host.drain();
    expect(errorOf(call())).toBe('shutting_down');
    expect(errorOf(call('other'))).toBe('shutting_down');
    expect(call('mine').events).toEqual([{ kind: 'accepted', taskId: 'mine' }]);
    tool.open();
    await drained;
    expect(running.phase).toBe('settled');
    expect(errorOf(call('mine'))).toBe('session_gone');
  });

  test('of a session that is not there are refused, and start nothing', async () => {
    const { host, count } = await startHost();
    const { events } = hear(host, refOf('nobody'), { name: 'wait', input: {} });
    expect(events).toMatchObject([{ kind: 'settled', ending: { failure: { code: 'session_not_found' } } }]);
    expect(count('wait')).toBe(0);
  });

  test('go on when their clients leave, who hear no more of them', async () => {
    const { call, tool } = await startHost();
    const [first, second, third] = [call('mine'), call('mine'), call('mine')];
    first.leave();
    second.leave();
    tool.open();
    await pass(0);
    expect([first.phase, second.phase, third.phase]).toEqual(['accepted', 'accepted', 'settled']);
    expect(resultOf(call('mine'))).toBe(resultOf(third));
  });

  test('that are checked for long have their place in the queue, and run in the order they came', async () => {
    const [slow, quick] = [new Gate(), new Gate()];
    const ran: string[] = [];
    const checked = environment({
      name: 'checked',
      splits: { train: [{}] },
      prompt: () => '',
      tools: {
        act: {
          input: z.object({ name: z.string() }).refine(async ({ name }) => {
            await (name === 'slow' ? slow : quick).pass();
            return name !== 'wrong';
          }),
          run: ({ name }) => {
            ran.push(name);
            return name;
          },
        },
      },
    });
    const { host, callTool } = hostOf([checked]);
    await host.create(SESSION, { choice: { task: {} }, secrets: {} });
    const calls = ['slow', 'wrong', 'quick'].map((name) => callTool({ name: 'act', input: { name } }));
    quick.open();
    await pass(0);
    expect(calls.map(({ phase }) => phase)).toEqual(['silent', 'silent', 'silent']);
    slow.open();
    await pass(0);
    expect(ran).toEqual(['slow', 'quick']);
    expect(calls.map(errorOf)).toEqual([undefined, 'invalid_input', undefined]);
    expect(calls[0]?.events.map(({ kind }) => kind)).toEqual(['accepted', 'settled']);
  });
});
