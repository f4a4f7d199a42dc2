import { describe, expect, test } from 'vitest';
import { eventually } from '../support/clock.ts';
import { errorOf, type HeardCall, hear, refOf, resultOf } from '../support/host.ts';
import {
  accepted,
  expectInOrder,
  type HostTests,
  LOOK,
  pause,
  REF,
  settled,
  taskOf,
  turns,
  WITHOUT_SECRET,
} from './harness.ts';

/** What every host must do with calls. */
export function describeCalls({ start, startSession }: HostTests): void {
  describe('call', () => {
    test.each(['look', 'later'])('of a tool that returns (%s) tells its result once, as JSON', async (tool) => {
      const { call, stage } = await startSession();
      const heard = await settled(call({ name: tool, input: {} }));
      expect(JSON.parse(resultOf(heard) ?? '')).toMatchObject({ ok: true, output: { blocks: [{ text: 'seen' }] } });
      expect(stage.count(tool)).toBe(1);
      await turns();
      expectInOrder(heard);
    });

    test('of a tool that takes its time is accepted under an id before it settles under the same', async () => {
      const { call, stage } = await startSession();
      const heard = call({ name: 'wait', input: { gate: 'a' } });
      await accepted(heard);
      await stage.reached('wait a');
      expect(heard.events).toEqual([{ kind: 'accepted', taskId: expect.stringMatching(/^[0-9a-f]{32}$/) }]);
      stage.open('a');
      await settled(heard);
      expectInOrder(heard);
      expect(resultOf(heard)).toContain('waited for a');
    });

    test('tells how long it took', async () => {
      const { call } = await startSession();
      const heard = await settled(call({ name: 'hang', input: {} }));
      expect(heard.events.at(-1)).toMatchObject({ kind: 'settled', durationMs: expect.any(Number) });
      const { durationMs } = heard.events.at(-1) as { durationMs: number };
      expect(durationMs).toBeGreaterThan(15);
    });

    test('that waits for setup is told its id after a while, and may still be refused', async () => {
      const { call, stage } = await startSession({ setup: 'waits' }, { announceAfterMs: 20 });
      const [look, nonsense] = [call(LOOK), call({ name: 'nonsense', input: {} })];
      await Promise.all([accepted(look), accepted(nonsense)]);
      expect(stage.trace).not.toContain('setup ends');
      stage.open('setup');
      await Promise.all([settled(look), settled(nonsense)]);
      expectInOrder(look);
      expectInOrder(nonsense);
      expect(resultOf(look)).toContain('seen');
      expect(errorOf(nonsense)).toBe('unknown_tool');
      // Its client was told that it may come back.
      expect(errorOf(await settled(call({ ...LOOK, taskId: nonsense.id })))).toBe('unknown_tool');
    });

    test('of what is wrong is refused with a code, and with what is wrong of an input', async () => {
      const { call } = await startSession();
      expect(errorOf(await settled(call({ name: 'nonsense', input: {} })))).toBe('unknown_tool');
      const { ending } = await settled(call({ name: 'wait', input: { gate: 5 } }));
      const problems = [expect.objectContaining({ path: ['gate'] })];
      expect(ending).toMatchObject({ kind: 'refused', failure: { code: 'invalid_input' }, problems });
      const other = await settled(call({ ...LOOK, environment: 'plain' }));
      expect(other.ending).toMatchObject({ kind: 'refused', failure: { code: 'environment_mismatch' } });
      expect(resultOf(await settled(call({ ...LOOK, environment: 'CONTRACT' })))).toBeDefined();
    });

    test('of a tool that reports, crashes or takes too long tells how it failed', async () => {
      const { call } = await startSession();
      const endingOf = async (tool: string) => (await settled(call({ name: tool, input: {} }))).ending;
      expect(await endingOf('report')).toMatchObject({
        kind: 'failed',
        outcome: 'tool_error',
        failure: { code: 'tool_failed', tool: 'report', message: 'not here', promptContent: 'Try there.' },
      });
      expect(await endingOf('crash')).toMatchObject({
        kind: 'failed',
        outcome: 'env_error',
        failure: { code: 'environment_failed', thrown: { message: WITHOUT_SECRET } },
      });
      expect(await endingOf('hang')).toMatchObject({
        kind: 'failed',
        outcome: 'timeout',
        failure: { code: 'tool_failed', tool: 'hang' },
      });
    });

    test('after the end of an episode is refused, unless that is allowed', async () => {
      const finish = { name: 'pay', input: { reward: 1, finished: true } };
      const { call } = await startSession();
      await settled(call(finish));
      expect(errorOf(await settled(call(LOOK)))).toBe('episode_finished');
      const allowing = await startSession({}, { callsAfterFinish: 'allow' });
      await settled(allowing.call(finish));
      expect(resultOf(await settled(allowing.call(LOOK)))).toContain('seen');
    });

    test('M12: that was made to end with its client is aborted when that leaves; it ends at once, and does not run, if its turn has not come', async () => {
      const { call, stage } = await startSession();
      const wait = (gate: string) => call({ name: 'wait', input: { gate }, leaveAborts: true });
      const [running, queued, next] = [wait('a'), wait('b'), wait('c')];
      await Promise.all([running, queued, next].map(accepted));
      await stage.reached('wait a');
      queued.leave();
      expect(errorOf(await settled(queued))).toBe('call_cancelled');
      running.leave();
      await stage.reached('wait a aborted');
      stage.open('c');
      expect(resultOf(await settled(next))).toContain('waited for c');
      expect(stage.trace).not.toContain('wait b');
    });

    test('M12: the same for one that waits for a place among those that run', async () => {
      const { call, stage } = await startSession({}, { maxCallsInFlight: 1 });
      const running = call({ name: 'wait', input: { gate: 'a' } });
      await stage.reached('wait a');
      const held = call({ name: 'together', input: { gate: 'b' }, leaveAborts: true });
      const next = call({ name: 'together', input: { gate: 'c' } });
      await Promise.all([held, next].map(accepted));
      held.leave();
      expect(errorOf(await settled(held))).toBe('call_cancelled');
      for (const gate of ['a', 'c']) stage.open(gate);
      await Promise.all([running, next].map(settled));
      expect(stage.trace).not.toContain('together b');
    });

    test('M12: ends also if its client leaves as soon as it hears that the call was accepted', async () => {
      const { call } = await startSession();
      const left = call({ name: 'wait', input: { gate: 'never' }, leaveAborts: true });
      await accepted(left);
      left.leave();
      await settled(left);
    });

    test('M12: that waits for setup is not run if its client leaves', async () => {
      const { call, stage } = await startSession({ setup: 'waits' }, { announceAfterMs: 20 });
      const left = call({ ...LOOK, leaveAborts: true });
      await accepted(left);
      left.leave();
      expect(errorOf(await settled(left))).toBe('call_cancelled');
      const next = call({ name: 'later', input: {} });
      await accepted(next);
      stage.open('setup');
      expect(resultOf(await settled(next))).toContain('seen');
      expect(stage.count('look')).toBe(0);
    });

    test('of one tool waits for the one before it, unless the tool is concurrent', async () => {
      const { call, stage } = await startSession();
      const wait = (name: string, gate: string) => call({ name, input: { gate } });
      const calls = [wait('wait', 'a'), wait('wait', 'b'), wait('together', 'c'), wait('together', 'd')];
      await stage.reached('together d');
      expect(stage.trace).toContain('wait a');
      expect(stage.trace).not.toContain('wait b');
      for (const gate of ['a', 'b', 'c', 'd']) stage.open(gate);
      await Promise.all(calls.map(settled));
      expect(stage.trace.indexOf('wait b')).toBeGreaterThan(stage.trace.indexOf('wait a ends'));
    });

    test('beyond what a session takes is refused', async () => {
      const { call, stage } = await startSession({}, { maxCallsInFlight: 1, maxCallsQueued: 1 });
      const calls = ['a', 'b'].map((gate) => call({ name: 'together', input: { gate } }));
      await Promise.all(calls.map(accepted));
      expect(errorOf(await settled(call(LOOK)))).toBe('too_many_calls');
      expect(stage.trace).not.toContain('together b');
      stage.open('a');
      stage.open('b');
      await Promise.all(calls.map(settled));
      expect(resultOf(await settled(call(LOOK)))).toContain('seen');
    });

    test('of a session that is not there, is gone or has expired is refused, and never throws', async () => {
      const host = await start();
      const codeOf = async () => errorOf(await settled(hear(host, REF, LOOK)));
      expect(await codeOf()).toBe('session_not_found');
      await host.create(REF, taskOf({}));
      await host.end(REF);
      expect(await codeOf()).toBe('session_gone');
      const { host: other } = await startSession({}, { idleMs: 20 });
      await eventually(async () => {
        // A look at it would keep it alive.
        await pause(100);
        expect(errorOf(await settled(hear(other, REF, LOOK)))).toBe('session_expired');
      });
    });
  });

  describe('a call that comes again', () => {
    test('while it runs is the same one, for however many', async () => {
      const { call, stage } = await startSession();
      const request = { name: 'wait', input: { gate: 'a' }, taskId: 'mine' };
      const calls = [call(request), call(request)];
      await Promise.all(calls.map(accepted));
      // Also under the id of a server.
      const unnamed = await accepted(call({ name: 'together', input: { gate: 'a' } }));
      calls.push(call({ ...request, taskId: unnamed.id }));
      stage.open('a');
      for (const each of await Promise.all(calls.map(settled))) expectInOrder(each);
      expect(resultOf(calls[1] as HeardCall)).toBe(resultOf(calls[0] as HeardCall));
      await settled(unnamed);
      expect(resultOf(calls[2] as HeardCall)).toBe(resultOf(unnamed));
      expect([stage.count('wait a'), stage.count('together a')]).toEqual([1, 1]);
    });

    test.each(['mine', undefined])('when it has ended has the same result (client’s id: %s)', async (taskId) => {
      const { call, stage } = await startSession();
      const first = await settled(call({ ...LOOK, taskId }));
      const again = await settled(call({ ...LOOK, taskId: first.id }));
      expect(again.events).toMatchObject([{ kind: 'settled', taskId: first.id }]);
      expect(resultOf(again)).toBe(resultOf(first));
      const failed = await settled(call({ name: 'crash', input: {}, taskId: taskId && 'crash' }));
      expect((await settled(call({ ...LOOK, taskId: failed.id }))).ending).toEqual(failed.ending);
      expect(stage.count('look')).toBe(1);
    });

    test('when its result is gone is refused, and runs nothing', async () => {
      const { call, stage } = await startSession({}, { lingerMs: 20 });
      const ids = await Promise.all(
        ['mine', undefined].map(async (taskId) => (await settled(call({ ...LOOK, taskId }))).id),
      );
      await pause(40);
      for (const taskId of ids) expect(errorOf(await settled(call({ ...LOOK, taskId })))).toBe('unknown_task_id');
      expect(stage.count('look')).toBe(2);
    });

    test('under an id that a server made, but nobody here, is refused', async () => {
      const { host, call, stage } = await startSession();
      expect(errorOf(await settled(call({ ...LOOK, taskId: '0'.repeat(32) })))).toBe('unknown_task_id');
      const { id } = await settled(call(LOOK));
      await host.create(refOf('other'), taskOf({}));
      expect(errorOf(await settled(hear(host, refOf('other'), { ...LOOK, taskId: id })))).toBe('unknown_task_id');
      expect(stage.count('look')).toBe(1);
    });

    test('under a client’s new id starts nothing where clients may choose none', async () => {
      const { call, stage } = await startSession({}, { clientTaskIds: 'refuse' });
      expect(errorOf(await settled(call({ ...LOOK, taskId: 'mine' })))).toBe('unknown_task_id');
      expect(stage.count('look')).toBe(0);
    });

    test('after a refusal may use its id again, unless the refusal was to be kept', async () => {
      const { call } = await startSession();
      const wrong = { name: 'wait', input: {} };
      expect(errorOf(await settled(call({ ...wrong, taskId: 'a' })))).toBe('invalid_input');
      expect(resultOf(await settled(call({ ...LOOK, taskId: 'a' })))).toContain('seen');
      const kept = await settled(call({ ...wrong, taskId: 'b', keepRefusal: true }));
      expect((await settled(call({ ...LOOK, taskId: 'b' }))).ending).toEqual(kept.ending);
      const unnamed = await settled(call({ ...wrong, keepRefusal: true }));
      expect((await settled(call({ ...LOOK, taskId: unnamed.id }))).ending).toEqual(unnamed.ending);
    });

    test('after its client has left is there: the call went on', async () => {
      const { call, stage } = await startSession();
      const request = { name: 'wait', input: { gate: 'a' }, taskId: 'mine' };
      const first = await accepted(call(request));
      first.leave();
      stage.open('a');
      await stage.reached('wait a ends');
      expect(resultOf(await settled(call(request)))).toContain('waited for a');
      expect(first.phase).toBe('accepted');
      expect(stage.count('wait a')).toBe(1);
    });
  });
}
