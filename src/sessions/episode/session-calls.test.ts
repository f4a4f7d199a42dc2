import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SECOND } from '../../../test/support/clock.ts';
import { Gate } from '../../../test/support/gates.ts';
import { errorOf, pass, startHost } from '../../../test/support/host.ts';
import { catalog, environment, silent, step } from '../../core/index.ts';
import { LocalHost } from '../host.ts';
import { DEFAULT_SESSION_OPTIONS } from '../options.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the calls of a session', () => {
  test('take only so many bytes while they wait, and one is always taken', async () => {
    const { host, tool } = await startHost({ maxInputBytes: 100 });
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
    const { host, tool } = await startHost({ maxInputBytes: 100, maxCallsInFlight: 1 });
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
    const { host } = await startHost();
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
    const { host, setup } = await startHost({ maxCallsInFlight: 1, maxCallsQueued: 1 }, { gates: ['setup'] });
    const reads = [host.prompt('s'), host.tools('s')];
    await expect(host.prompt('s')).rejects.toMatchObject({ code: 'too_many_calls' });
    setup.open();
    expect(await Promise.all(reads)).toHaveLength(2);
  });
});
