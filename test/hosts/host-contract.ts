import { describe, expect, test } from 'vitest';
import type { CreateRequest, HostEvent, Observer, SessionRef } from '../../src/sessions/index.ts';
import { eventually } from '../support/clock.ts';
import { errorOf, hear, refOf, resultOf } from '../support/host.ts';
import { describeCalls } from './call-contract.ts';
import {
  accepted,
  hostTests,
  LOOK,
  type MakeHost,
  pause,
  REF,
  settled,
  taskOf,
  turns,
  WITHOUT_SECRET,
} from './harness.ts';
import { Stage } from './stage.ts';

/** Why a session is not there any more when its host has stopped: it is over, or goes on when there is another. */
const STOPPED: unknown = expect.stringMatching(/^(session_gone|shutting_down)$/);

/**
 * States what every host of sessions must do, wherever its sessions live. When it is drained, they end with it, or go on elsewhere: that
 * has tests of its own.
 */
export function describeHost(name: string, makeHost: MakeHost, whenDrained: 'end' | 'go on' = 'end'): void {
  const tests = hostTests(makeHost);
  const { start, startSession } = tests;

  describe(name, () => {
    describe('what it has', () => {
      test('a manifest tells environments, tools and splits as data, the default first', async () => {
        const { manifest } = await start();
        expect(manifest).toEqual(structuredClone(manifest));
        expect(manifest.environments.map((each) => each.name)).toEqual(['contract', 'plain', 'replayed', 'saved']);
        const [contract] = manifest.environments;
        const names = (tools: readonly { name: string }[] = []) => tools.map((tool) => tool.name);
        expect(names(contract?.allTools)).toContain('special');
        expect(names(contract?.sharedTools)).not.toContain('special');
        expect(contract?.splits.map((split) => split.name)).toEqual(['train', 'broken', 'failing']);
      });

      test('tasks are counted, listed, and read one by one or as a slice', async () => {
        const host = await start();
        const train = { environment: 'contract', split: 'train' };
        expect(await host.tasks({ ...train, read: 'count' })).toMatchObject({ count: 3 });
        expect((await host.tasks({ ...train, read: 'all' })).tasks).toEqual([{ id: 0 }, { id: 1 }, { id: 2 }]);
        expect((await host.tasks({ ...train, read: 'one', index: 1 })).tasks).toEqual([{ id: 1 }]);
        const range = async (begin?: number, end?: number) =>
          (await host.tasks({ ...train, read: 'range', start: begin, stop: end })).tasks;
        expect(await range(1, 3)).toEqual([{ id: 1 }, { id: 2 }]);
        expect(await range(-1)).toEqual([{ id: 2 }]);
        expect(await range(undefined, -1)).toEqual([{ id: 0 }, { id: 1 }]);
      });

      test('what is asked for in vain is told by a code', async () => {
        const host = await start();
        const read = (environment: string, split: string, index = 0) =>
          host.tasks({ environment, split, read: 'one', index });
        await expect(read('nowhere', 'train')).rejects.toMatchObject({ code: 'unknown_environment' });
        await expect(read('contract', 'nowhere')).rejects.toMatchObject({ code: 'unknown_split' });
        await expect(read('contract', 'train', 7)).rejects.toMatchObject({ code: 'bad_index' });
        const thrown = expect.objectContaining({ message: 'no such disk' });
        await expect(read('contract', 'failing')).rejects.toMatchObject({ code: 'environment_failed', thrown });
      });
    });

    describe('create', () => {
      test('begins an episode of the first environment, or of the one that is named in any case', async () => {
        const host = await start();
        await host.create(refOf('a'), taskOf({}));
        await host.create(refOf('b'), { environment: 'PLAIN', choice: { split: 'test', index: 0 }, secrets: {} });
        expect(await host.touch(refOf('a'))).toMatchObject({ environment: 'contract' });
        expect(await host.touch(refOf('b'))).toMatchObject({ environment: 'plain' });
        expect(resultOf(await settled(hear(host, refOf('b'), LOOK)))).toContain('plainly seen');
      });

      test('resolves before setup has ended; all that needs it waits', async () => {
        const { host, stage, call } = await startSession({ setup: 'waits' });
        await stage.reached('setup');
        const [prompt, tools, look] = [host.prompt(REF), host.tools(REF), call(LOOK)];
        expect(stage.trace).toEqual(['setup']);
        stage.open('setup');
        await Promise.all([prompt, tools, settled(look)]);
        expect(resultOf(look)).toContain('seen');
      });

      test('is refused for an id that is taken, which belongs to its identity alone', async () => {
        const host = await start();
        const create = (ref: SessionRef) => host.create(ref, taskOf({}));
        await create(refOf('s', 'anna'));
        await expect(create(refOf('s', 'anna'))).rejects.toMatchObject({ code: 'session_exists' });
        await create(refOf('s', 'bert'));
        await create(refOf('s'));
        await host.end(refOf('s', 'bert'));
        expect(await host.touch(refOf('s', 'anna'))).toMatchObject({ environment: 'contract' });
      });

      test('is refused beyond the limits, until a place is free', async () => {
        const host = await start({ maxSessions: 3, maxSessionsPerIdentity: 2 });
        const create = (sid: string, identity: string) => host.create(refOf(sid, identity), taskOf({}));
        await create('a', 'anna');
        await create('b', 'anna');
        await expect(create('c', 'anna')).rejects.toMatchObject({ code: 'too_many_sessions' });
        await create('a', 'bert');
        await expect(create('b', 'bert')).rejects.toMatchObject({ code: 'too_many_sessions' });
        await host.end(refOf('a', 'anna'));
        await create('b', 'bert');
      });

      test.each<[what: string, request: Partial<CreateRequest>, code: string]>([
        ['an environment', { environment: 'nowhere' }, 'unknown_environment'],
        ['a split', { choice: { split: 'nowhere', index: 0 } }, 'unknown_split'],
        ['an index', { choice: { split: 'train', index: 3 } }, 'bad_index'],
        ['a task that fits', { choice: { task: { setup: 'nonsense' } } }, 'invalid_task'],
        ['a task that can be read', { choice: { split: 'failing', index: 0 } }, 'environment_failed'],
        ['a task of the author’s that fits', { choice: { split: 'broken', index: 0 } }, 'environment_failed'],
      ])('is refused without %s, and leaves no session', async (_what, request, code) => {
        const host = await start({ maxSessions: 1 });
        await expect(host.create(REF, { ...taskOf({}), ...request })).rejects.toMatchObject({ code });
        expect(await host.touch(REF)).toMatchObject({ code: 'session_not_found' });
        await host.create(REF, taskOf({}));
      });
    });

    describe('an episode', () => {
      test('has the prompt of its task, made once', async () => {
        const [host, stage] = [await start(), new Stage()];
        await host.create(REF, taskOf({ id: 7, stage: stage.folder }));
        const prompts = await Promise.all([host.prompt(REF), host.prompt(REF)]);
        for (const blocks of prompts) expect(blocks).toMatchObject([{ type: 'text', text: 'Task 7.' }]);
        expect(await host.prompt(REF)).toEqual(prompts[0]);
        expect(stage.count('prompt')).toBe(1);
      });

      test('has the tools that all tasks have, and those of its own', async () => {
        const host = await start();
        await host.create(refOf('a'), taskOf({}));
        await host.create(refOf('b'), taskOf({ tools: ['special'] }));
        const names = async (sid: string) => (await host.tools(refOf(sid))).map((tool) => tool.name);
        expect(await names('a')).not.toContain('special');
        expect(await names('b')).toEqual(expect.arrayContaining(['look', 'special']));
        const special = { name: 'special', input: {} };
        expect(errorOf(await settled(hear(host, refOf('a'), special)))).toBe('unknown_tool');
        expect(resultOf(await settled(hear(host, refOf('b'), special)))).toContain('special');
      });

      test('tells a failed prompt as an error, without secrets', async () => {
        const { host } = await startSession({ prompt: 'fails' });
        const thrown = expect.objectContaining({ message: 'no prompt' });
        await expect(host.prompt(REF)).rejects.toMatchObject({ code: 'environment_failed', thrown });
      });

      test('whose setup failed says so to all who want something of it, without secrets', async () => {
        const host = await start();
        await host.create(REF, taskOf({ setup: 'fails' }));
        const failed = { code: 'setup_failed', thrown: expect.objectContaining({ message: WITHOUT_SECRET }) };
        await expect(host.prompt(REF)).rejects.toMatchObject(failed);
        await expect(host.tools(REF)).rejects.toMatchObject(failed);
        const { ending } = await settled(hear(host, REF, LOOK));
        expect(ending).toMatchObject({ kind: 'refused', failure: failed });
        // It is there to be deleted.
        expect(await host.touch(REF)).toMatchObject({ environment: 'contract' });
        await host.end(REF);
      });

      test('whose setup refused it has the status of the author’s choice', async () => {
        const { host } = await startSession({ setup: 'refuses' });
        await expect(host.prompt(REF)).rejects.toMatchObject({ code: 'setup_failed', status: 422 });
      });

      test('whose setup takes too long has failed, also if that does not listen', async () => {
        // Long enough for the task to be read and written down before, which has the same limit.
        const { host, stage } = await startSession({ setup: 'ignores its signal' }, { setupMs: 1_000 });
        await expect(host.prompt(REF)).rejects.toMatchObject({ code: 'setup_failed' });
        stage.open('setup');
      });
    });

    describeCalls(tests);

    describe('touch', () => {
      test('tells a session that lives from one that was deleted, has expired, or never was', async () => {
        const host = await start();
        expect(await host.touch(REF)).toMatchObject({ code: 'session_not_found' });
        await host.create(REF, taskOf({}));
        expect(await host.touch(REF)).toMatchObject({ environment: 'contract' });
        await host.end(REF);
        expect(await host.touch(REF)).toMatchObject({ code: 'session_gone' });
        const { host: hasty, stage } = await startSession({}, { idleMs: 20 });
        await stage.reached('teardown');
        await eventually(async () => expect(await hasty.touch(REF)).toMatchObject({ code: 'session_expired' }));
      });

      test('keeps a session alive, and so does a call that runs', async () => {
        const { host, stage, call } = await startSession({}, { idleMs: 1_000 });
        const [idle, touched] = [new Stage(), refOf('touched')];
        await host.create(touched, taskOf({}));
        await host.create(refOf('idle'), taskOf({ stage: idle.folder }));
        const running = call({ name: 'wait', input: { gate: 'a' } });
        while (idle.count('teardown') === 0) {
          expect(await host.touch(touched)).toMatchObject({ environment: 'contract' });
          await pause(10);
        }
        stage.open('a');
        expect(resultOf(await settled(running))).toContain('waited for a');
      });
    });

    describe('end', () => {
      test('aborts what runs, tears down once, and leaves the id free', async () => {
        const { host, call, stage } = await startSession();
        const running = call({ name: 'wait', input: { gate: 'a' } });
        const waiting = call({ name: 'wait', input: { gate: 'a' } });
        await stage.reached('wait a');
        // The second may come when the first is over.
        await Promise.all([host.end(REF), host.end(REF).catch(({ code }) => expect(code).toBe('session_not_found'))]);
        expect(stage.trace).toEqual(['setup', 'setup ends', 'wait a', 'wait a aborted', 'teardown']);
        for (const { ending } of await Promise.all([running, waiting].map(settled)))
          expect(ending).toMatchObject({ kind: 'failed', outcome: 'cancelled', failure: { code: 'session_gone' } });
        await expect(host.prompt(REF)).rejects.toMatchObject({ code: 'session_gone' });
        await expect(host.tools(REF)).rejects.toMatchObject({ code: 'session_gone' });
        await host.create(REF, taskOf({}));
        expect(await host.touch(REF)).toMatchObject({ environment: 'contract' });
      });

      test('rejects if there is no such session', async () => {
        const host = await start();
        await expect(host.end(REF)).rejects.toMatchObject({ code: 'session_not_found' });
      });

      test('during setup aborts that, and tells those who wait', async () => {
        const { host, call, stage } = await startSession({ setup: 'waits' });
        const prompt = host.prompt(REF).catch(({ code }) => code);
        const look = call(LOOK);
        await stage.reached('setup');
        await turns();
        await host.end(REF);
        expect(await prompt).toBe('session_gone');
        expect(errorOf(await settled(look))).toBe('session_gone');
        expect(stage.trace).toEqual(['setup', 'teardown without state']);
      });

      test('does not wait for ever for a tool or a setup that ignores its signal', async () => {
        const { host, stage } = await startSession({ setup: 'ignores its signal' });
        await stage.reached('setup');
        await host.end(REF);
        expect(stage.trace).toEqual(['setup', 'teardown without state']);
        stage.open('setup');
      });

      test('of a session with nothing to set up or tear down is an end as well', async () => {
        const host = await start();
        await host.create(REF, { environment: 'plain', choice: { task: {} }, secrets: {} });
        expect(await host.prompt(REF)).toMatchObject([{ text: 'Begin.' }]);
        await host.end(REF);
        expect(await host.touch(REF)).toMatchObject({ code: 'session_gone' });
      });
    });

    const describeDrain = whenDrained === 'end' ? describe : undefined;
    describeDrain?.('drain', () => {
      test('lets calls end, takes nothing new, and tears down once', async () => {
        const { host, call, stage } = await startSession({}, { drainMs: 10_000 });
        const running = call({ name: 'wait', input: { gate: 'a' }, taskId: 'mine' });
        await stage.reached('wait a');
        expect(host.isDraining).toBe(false);
        const drained = [host.drain(), host.drain()];
        expect(host.isDraining).toBe(true);
        await expect(host.create(refOf('new'), taskOf({}))).rejects.toMatchObject({ code: 'shutting_down' });
        expect(errorOf(await settled(call(LOOK)))).toBe('shutting_down');
        const again = await accepted(call({ ...LOOK, taskId: 'mine' }));
        stage.open('a');
        await Promise.all(drained);
        for (const each of [running, again]) expect(resultOf(await settled(each))).toContain('waited for a');
        expect(stage.count('teardown')).toBe(1);
        expect(await host.touch(REF)).toMatchObject({ code: STOPPED });
      });

      test('aborts the calls that do not end in time', async () => {
        const { host, call, stage } = await startSession({}, { drainMs: 20 });
        const running = call({ name: 'wait', input: { gate: 'a' } });
        await stage.reached('wait a');
        await host.drain();
        expect(errorOf(await settled(running))).toEqual(STOPPED);
        expect(stage.trace.slice(-2)).toEqual(['wait a aborted', 'teardown']);
      });
    });

    test('an observer hears of each session and call in order, as data', async () => {
      const events: HostEvent[] = [];
      const observer: Observer = { on: (event) => void events.push(structuredClone(event)) };
      const host = await start({ observer });
      const ref = refOf('s', 'anna');
      const trace = { traceparent: 'here' };
      await host.create(ref, { choice: { split: 'train', index: 2 }, secrets: {}, trace });
      await host.prompt(ref);
      for (const reward of [0.5, 0.25]) await settled(hear(host, ref, { name: 'pay', input: { reward }, trace }));
      await settled(hear(host, ref, { name: 'pay', input: { reward: 1, finished: true } }));
      await settled(hear(host, ref, { name: 'nonsense', input: {} }));
      await host.end(ref);
      const call = ['call_started', 'call_running', 'call_ended'];
      expect(events.map(({ type }) => type)).toEqual([
        ...['session_started', 'setup_ended', ...call, ...call, ...call],
        ...['call_started', 'call_ended', 'session_ended'],
      ]);
      const session = { sid: 's', identity: 'anna', environment: 'contract', split: 'train', index: 2 };
      const pay = { tool: 'pay', identity: 'anna', session };
      expect(events[0]).toMatchObject({ session, trace });
      expect(events[1]).toMatchObject({ session, result: 'ready' });
      expect(events[2]).toMatchObject({ call: pay, trace });
      const ended = events.filter((event) => event.type === 'call_ended');
      expect(ended).toMatchObject([
        { call: pay, outcome: 'returned', reward: 0.5, finished: false, ran: true },
        { call: pay, outcome: 'returned', reward: 0.25, finished: false, ran: true },
        { call: pay, outcome: 'returned', reward: 1, finished: true, ran: true },
        { call: { ...pay, tool: '(unknown)' }, outcome: 'tool_error', reward: null, finished: false, ran: false },
      ]);
      const sum = { calls: 4, reward: 1.75, outcome: 'finished', reason: 'deleted' };
      expect(events.at(-1)).toMatchObject({ session, ...sum });
      for (const { at } of events) expect(Math.abs(at - Date.now())).toBeLessThan(60_000);
    });
  });
}
