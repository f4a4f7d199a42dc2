import { describe, expect, onTestFinished, test } from 'vitest';
import type { Awaitable, Limits } from '../../src/core/index.ts';
import type { HostEvent, Observer, ToolHost, ToolRequest } from '../../src/sessions/index.ts';
import { errorOf, HeardCall, resultOf } from '../support/host.ts';
import { accepted, expectInOrder, pause, settled, WITHOUT_SECRET } from './harness.ts';
import { Stage } from './stage.ts';

/** What a host of tools is made with, besides the toolkits in toolkits.ts. */
export interface ToolHostOptions extends Partial<Limits> {
  readonly observer?: Observer;
}

/** Makes a host of the toolkits in toolkits.ts, at the defaults but for these options. */
export type MakeToolHost = (options: ToolHostOptions) => Awaitable<ToolHost>;

/** States what every host of tools must do, wherever their code runs. */
export function describeToolHost(name: string, makeHost: MakeToolHost): void {
  /** A host that is drained when its test ends, and ways to call it. */
  async function start(options: ToolHostOptions = {}) {
    const [host, stage] = [await makeHost({ graceMs: 50, drainMs: 0, ...options }), new Stage()];
    onTestFinished(() => host.drain());
    const call = (toolId: string, request: Partial<ToolRequest> = {}): HeardCall => {
      const heard = new HeardCall();
      heard.leave = host.call({ ...REQUEST, toolId, ...request }, (event) => void heard.events.push(event));
      return heard;
    };
    const input = { stage: stage.folder, gate: 'a' };
    const wait = (request: Partial<ToolRequest> = {}) => call('Kit.Wait', { input, ...request });
    return { host, stage, call, wait };
  }

  describe(name, () => {
    test('tells its tools as data', async () => {
      const { host } = await start();
      expect(host.tools).toEqual(structuredClone(host.tools));
      const ids = host.tools.map(({ definition }) => definition.id);
      expect(ids).toEqual(['Add', 'Wait', 'Report', 'Crash', 'Roll', 'Hidden'].map((tool) => `Kit.${tool}@1.0.0`));
      expect(host.tools.at(-1)).toMatchObject({ scopes: ['admin'], effects: 'external' });
      expect(host.tools.at(-2)).toMatchObject({ effects: 'idempotent' });
    });

    test('tells a tool the id of its call, and gives it chance that belongs to that id', async () => {
      const { host, call } = await start();
      const first = resultOf(await settled(call('Kit.Roll', { callId: 'r1' })));
      expect(JSON.parse(first ?? '')).toEqual({
        callId: 'r1',
        attempt: 1,
        seed: expect.any(Number),
        rolled: expect.any(Number),
      });
      await host.drain();
      const others = await start();
      expect(resultOf(await settled(others.call('Kit.Roll', { callId: 'r1' })))).toBe(first);
      expect(resultOf(await settled(others.call('Kit.Roll', { callId: 'r2' })))).not.toBe(first);
      const unnamed = await settled(others.call('Kit.Roll'));
      expect(resultOf(unnamed)).toContain(`"callId":"${unnamed.id}"`);
    });

    test('runs a tool and tells its result once, as JSON, under the caller’s id or one of its own', async () => {
      const { call } = await start();
      const named = await settled(call('Kit.Add@1', { input: { a: 2, b: 3 }, callId: 'mine' }));
      expectInOrder(named);
      expect([named.id, resultOf(named)]).toEqual(['mine', '5']);
      const unnamed = await settled(call('Kit.Add', { input: { a: 2 } }));
      expect(resultOf(unnamed)).toBe('3');
      expect(unnamed.id).not.toBe('');
    });

    test('tells that a call is accepted before it has settled', async () => {
      const { wait, stage } = await start();
      const heard = await accepted(wait());
      stage.open('a');
      expectInOrder(await settled(heard));
      expect(resultOf(heard)).toBe('"waited"');
    });

    test('refuses what it cannot run, and says why', async () => {
      const { call } = await start();
      const endingOf = async (toolId: string, request: Partial<ToolRequest> = {}) =>
        (await settled(call(toolId, request))).ending;
      const refused = (code: string) => ({ kind: 'refused', failure: { code } });
      expect(await endingOf('nonsense')).toMatchObject(refused('unknown_tool'));
      expect(await endingOf('Kit.Nothing')).toMatchObject(refused('unknown_tool'));
      expect(await endingOf('Kit.Hidden', { scopes: new Set(['user']) })).toMatchObject(refused('unknown_tool'));
      expect(await endingOf('Kit.Hidden', { scopes: new Set(['admin']) })).toMatchObject({ json: '"seen"' });
      const wrong = await endingOf('Kit.Add', { input: { a: 'x' } });
      expect(wrong).toMatchObject({ ...refused('invalid_input'), problems: [{ path: ['a'] }] });
      expect(await endingOf('Kit.Add', { input: 7 })).toMatchObject(refused('invalid_input'));
      const missing = { secrets: [{ id: 'KEY' }] };
      expect(await endingOf('Kit.Crash')).toMatchObject({
        kind: 'refused',
        failure: { code: 'missing_requirements', missing },
      });
    });

    test('tells how a tool failed, without secrets', async () => {
      const { call } = await start();
      expect((await settled(call('Kit.Report'))).ending).toMatchObject({
        kind: 'failed',
        outcome: 'tool_error',
        failure: { message: 'not now', developerMessage: 'the moon is full', canRetry: true, retryAfterMs: 5 },
      });
      const context = { secrets: [{ id: 'KEY', value: 'hunter2-hunter2' }] };
      const { ending } = await settled(call('Kit.Crash', { context }));
      expect(ending).toMatchObject({ kind: 'failed', outcome: 'env_error', failure: { code: 'environment_failed' } });
      expect(JSON.stringify(ending)).toEqual(WITHOUT_SECRET);
    });

    test('runs an id once: a repeat waits for it, or has its result', async () => {
      const { wait, stage } = await start();
      const calls = [wait({ callId: 'mine' }), wait({ callId: 'mine' })];
      await Promise.all(calls.map(accepted));
      stage.open('a');
      await Promise.all(calls.map(settled));
      const again = await settled(wait({ callId: 'mine' }));
      for (const each of [...calls, again]) expect(resultOf(each)).toBe('"waited"');
      // Another caller's id is another one.
      await settled(wait({ callId: 'mine', identity: 'anna' }));
      expect(stage.count('Wait')).toBe(2);
    });

    test('refuses an id that was used for something else, while it runs and afterwards', async () => {
      const { call, wait, stage } = await start();
      await accepted(wait({ callId: 'mine' }));
      const other = () => settled(call('Kit.Add', { input: { a: 1 }, callId: 'mine' }));
      expect(errorOf(await other())).toBe('call_id_reused');
      stage.open('a');
      await settled(wait({ callId: 'mine' }));
      expect(errorOf(await other())).toBe('call_id_reused');
    });

    test('refuses an id whose result is gone, and runs nothing', async () => {
      const { call, stage } = await start({ lingerMs: 20 });
      const add = () => settled(call('Kit.Add', { input: { a: 1, stage: stage.folder }, callId: 'mine' }));
      expect(resultOf(await add())).toBe('2');
      await pause(40);
      expect(errorOf(await add())).toBe('result_not_kept');
      expect(stage.count('Add')).toBe(1);
    });

    test('takes an id again whose call was refused', async () => {
      const { call } = await start();
      const add = (a: unknown) => settled(call('Kit.Add', { input: { a }, callId: 'mine' }));
      expect(errorOf(await add('x'))).toBe('invalid_input');
      expect(resultOf(await add(1))).toBe('2');
    });

    test('aborts a call whose caller has left, unless that can come back for it', async () => {
      const { wait, stage } = await start();
      const [unnamed, named] = [await accepted(wait()), await accepted(wait({ callId: 'mine' }))];
      unnamed.leave();
      named.leave();
      await stage.reached('Wait aborted');
      stage.open('a');
      expect(resultOf(await settled(wait({ callId: 'mine' })))).toBe('"waited"');
      expect([stage.count('Wait'), stage.count('Wait aborted')]).toEqual([2, 1]);
      expect([unnamed.phase, named.phase]).toEqual(['accepted', 'accepted']);
    });

    test('refuses calls beyond its limits, of all and of one caller', async () => {
      const { wait, stage } = await start({ maxToolkitCalls: 3, maxToolkitCallsPerIdentity: 2 });
      const calls = [wait({ identity: 'anna' }), wait({ identity: 'anna' })];
      await Promise.all(calls.map(accepted));
      expect(errorOf(await settled(wait({ identity: 'anna' })))).toBe('too_many_calls');
      calls.push(await accepted(wait()));
      expect(errorOf(await settled(wait()))).toBe('too_many_calls');
      stage.open('a');
      await Promise.all(calls.map(settled));
      expect(resultOf(await settled(wait()))).toBe('"waited"');
    });

    test('lets calls end when it is drained, and takes only those who come back', async () => {
      const { host, wait, stage } = await start({ drainMs: 10_000 });
      const running = await accepted(wait({ callId: 'mine' }));
      const drained = [host.drain(), host.drain()];
      expect(host.isDraining).toBe(true);
      expect(errorOf(await settled(wait()))).toBe('shutting_down');
      const again = await accepted(wait({ callId: 'mine' }));
      stage.open('a');
      await Promise.all(drained);
      for (const each of [running, again]) expect(resultOf(await settled(each))).toBe('"waited"');
    });

    test('aborts calls that do not end in time when it is drained', async () => {
      const { host, wait, stage } = await start({ drainMs: 10 });
      const running = await accepted(wait({ callId: 'mine' }));
      await host.drain();
      expect((await settled(running)).ending).toMatchObject({ kind: 'failed', outcome: 'cancelled' });
      expect(stage.count('Wait aborted')).toBe(1);
    });

    test('tells an observer of each call, as data', async () => {
      const events: HostEvent[] = [];
      const { call } = await start({ observer: { on: (event) => void events.push(structuredClone(event)) } });
      await settled(
        call('Kit.Add', { input: { a: 1 }, callId: 'mine', identity: 'anna', trace: { traceparent: 'x' } }),
      );
      await settled(call('Kit.Nothing'));
      const add = { call: { id: 'mine', tool: 'Kit.Add@1.0.0', identity: 'anna', session: undefined } };
      expect(events).toMatchObject([
        { type: 'call_started', ...add, trace: { traceparent: 'x' } },
        { type: 'call_running' },
        { type: 'call_ended', ...add, outcome: 'returned', ran: true, reward: null },
        { type: 'call_started', call: { tool: '(unknown)' } },
        { type: 'call_ended', call: { tool: '(unknown)' }, outcome: 'tool_error', ran: false },
      ]);
    });
  });
}

const REQUEST: ToolRequest = {
  toolId: '',
  input: {},
  callId: undefined,
  context: undefined,
  traceId: undefined,
  identity: '',
  scopes: undefined,
};
