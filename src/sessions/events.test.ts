import { array, asyncProperty, assert as check, constantFrom } from 'fast-check';
import { expect, test } from 'vitest';
import { hear, hostOf, refOf, SESSION } from '../../test/support/host.ts';
import { minimal } from '../../test/support/minimal.ts';
import { type Outcome, step, ToolError } from '../core/index.ts';
import { type HostEvent, UNKNOWN_TOOL } from './events.ts';
import type { LocalHost } from './local-host.ts';

const environment = minimal({
  setup: async () => {},
  tools: {
    act: { run: () => 'done' },
    later: { run: async () => 'done' },
    together: { concurrent: true, run: async () => 'done' },
    pay: {
      input: { type: 'object', properties: { reward: { type: 'number' } } },
      run: ({ reward = 0 }: { reward?: number }) => step('done', { reward }),
    },
    finish: { run: () => step('done', { reward: 0.5, finished: true }) },
    report: {
      run: () => {
        throw new ToolError('no');
      },
    },
    crash: {
      run: async () => {
        throw new Error('broken');
      },
    },
    hang: { timeoutMs: 1, run: () => new Promise(() => {}) },
    deaf: { concurrent: true, run: () => new Promise(() => {}) },
    typed: { input: { type: 'object', required: ['a'] }, run: () => 'done' },
  },
});

const HURRIED = { graceMs: 1, drainMs: 0 };

function create(host: LocalHost): Promise<void> {
  return host.create(SESSION, { choice: { task: {} }, secrets: {} });
}

/** What was heard of each call, in order: the kinds of events, and the outcome at its end. */
function callNotes(events: readonly HostEvent[]): string[][] {
  const notes = new Map<number, string[]>();
  for (const event of events) {
    if (!('call' in event)) continue;
    const note = event.type === 'call_ended' ? event.outcome : event.type.replace('call_', '');
    const { number } = event.call;
    notes.set(number, [...(notes.get(number) ?? []), note]);
  }
  return [...notes.values()];
}

/** The same of each session. */
function sessionNotes(events: readonly HostEvent[]): string[][] {
  const notes = new Map<number, string[]>();
  for (const event of events) {
    if (!event.type.startsWith('session_') && event.type !== 'setup_ended') continue;
    const { number } = (event as Extract<HostEvent, { type: 'session_started' }>).session;
    notes.set(number, [...(notes.get(number) ?? []), toNote(event)]);
  }
  return [...notes.values()];
}

function toNote(event: HostEvent): string {
  if (event.type === 'setup_ended') return `setup ${event.result}`;
  return event.type === 'session_ended' ? event.outcome : 'started';
}

const ENDS = /^(returned|finished|tool_error|env_error|timeout|cancelled|expired)$/;

const steps = constantFrom(...Object.keys(environment.tools), 'nonsense', '(turn)', '(delete)');

test('whatever is called, and whenever the session ends, each call and each session ends in exactly one outcome', async () => {
  await check(
    asyncProperty(array(steps, { maxLength: 12 }), async (names) => {
      const { host, events, callTool } = hostOf([environment], HURRIED);
      await create(host);
      let deleting: Promise<void> | undefined;
      let called = 0;
      for (const name of names) {
        if (name === '(turn)') await new Promise(setImmediate);
        else if (name === '(delete)') deleting ??= host.end(SESSION);
        else if (deleting === undefined) {
          callTool({ name, input: {} });
          called += 1;
        }
      }
      await deleting;
      await host.drain();
      const calls = callNotes(events);
      expect(calls).toHaveLength(called);
      for (const notes of calls) {
        expect(notes[0]).toBe('started');
        expect(notes.filter((note) => ENDS.test(note))).toEqual([notes.at(-1)]);
      }
      const sessions = sessionNotes(events);
      expect(sessions).toHaveLength(1);
      for (const notes of sessions) expect(notes.filter((note) => ENDS.test(note))).toEqual([notes.at(-1)]);
    }),
    { numRuns: 60 },
  );
});

test.each<[end: string, outcome: Outcome]>([
  ['deleted', 'cancelled'],
  ['stopped', 'cancelled'],
  ['expired', 'expired'],
])('a session that is %s under its calls makes them %s, those that wait included', async (end, outcome) => {
  const { host, events, callTool } = hostOf([environment], HURRIED);
  await create(host);
  await host.tools(SESSION);
  const calls = [callTool({ name: 'deaf', input: {} }), callTool({ name: 'hang', input: {} })];
  calls.push(callTool({ name: 'hang', input: {} }));
  // No session expires under a call: that is how a host that stops for another reason ends its sessions.
  await (end === 'deleted' ? host.end(SESSION) : host.drain(end as 'stopped' | 'expired'));
  expect(callNotes(events)).toEqual([
    ['started', 'running', outcome],
    ['started', 'running', outcome],
    ['started', outcome],
  ]);
  expect(sessionNotes(events)).toEqual([['started', 'setup ready', outcome]]);
  for (const { ending } of calls) expect(ending).toMatchObject({ kind: 'failed', outcome });
});

test('a call that the end of the session cuts off does not hide the crash before it', async () => {
  const { host, events, callTool } = hostOf([environment], HURRIED);
  await create(host);
  await host.tools(SESSION);
  const crash = callTool({ name: 'crash', input: {} });
  await expect.poll(() => crash.phase).toBe('settled');
  callTool({ name: 'deaf', input: {} });
  await host.end(SESSION);
  expect(sessionNotes(events)).toEqual([['started', 'setup ready', 'env_error']]);
});

test('the end of a session tells where its task came from, what its steps paid together, and how much there was', async () => {
  const { host, events, callTool } = hostOf([environment], HURRIED);
  await host.create(SESSION, { choice: { split: 'train', index: 0 }, secrets: {} });
  await host.tools(SESSION);
  for (const reward of [1, -0.25]) callTool({ name: 'pay', input: { reward } });
  callTool({ name: 'act', input: {} });
  callTool({ name: 'report', input: {} });
  callTool({ name: 'finish', input: {} });
  await host.end(SESSION);
  const rewards = events.flatMap((event) => (event.type === 'call_ended' ? [[event.reward, event.finished]] : []));
  expect(rewards).toEqual([
    [1, false],
    [-0.25, false],
    [null, false],
    [null, false],
    [0.5, true],
  ]);
  const task = { session: { sid: 's', identity: '', environment: 'minimal', split: 'train', index: 0 } };
  expect(events[0]).toMatchObject({ type: 'session_started', ...task });
  const ended = { outcome: 'finished', reason: 'deleted', calls: 5, reward: 1.25 };
  expect(events.at(-1)).toMatchObject({ type: 'session_ended', ...task, ...ended });
});

test('a session that nothing was paid for has no reward rather than 0, and one of a sent task has no split', async () => {
  const { host, events, callTool } = hostOf([environment], HURRIED);
  await create(host);
  await host.tools(SESSION);
  callTool({ name: 'act', input: {} });
  await host.end(SESSION);
  expect(events.at(-1)).toMatchObject({ reward: null, session: { split: undefined, index: undefined }, calls: 1 });
  expect(events.at(-1)).toHaveProperty('type', 'session_ended');
});

test('a call tells whose it is and under which trace it came, and a name of no tool is nobody’s label', async () => {
  const { host, events } = hostOf([environment], HURRIED);
  const ref = refOf('mine', 'anna');
  const trace = { traceparent: 'a' };
  await host.create(ref, { choice: { task: {} }, secrets: {}, trace: { traceparent: 'b' } });
  await host.tools(ref);
  hear(host, ref, { name: 'act', input: {}, taskId: 'a-1', trace });
  hear(host, ref, { name: 'nonsense', input: {} });
  await host.drain();
  expect(events[0]).toMatchObject({ type: 'session_started', trace: { traceparent: 'b' } });
  const whose = { identity: 'anna', session: { sid: 'mine', environment: 'minimal' } };
  const [first, second] = events.filter((event) => event.type === 'call_started');
  expect(first).toMatchObject({ call: { ...whose, id: 'a-1', tool: 'act' }, trace });
  expect(second).toMatchObject({ call: { ...whose, tool: UNKNOWN_TOOL }, trace: undefined });
  const ended = events.filter((event) => event.type === 'call_ended');
  expect(ended).toMatchObject([
    { call: first?.call, ran: true },
    { call: second?.call, ran: false, outcome: 'tool_error' },
  ]);
});

test('the times of events are those of the calendar, in order', async () => {
  const before = Date.now();
  const { host, events, callTool } = hostOf([environment], HURRIED);
  await create(host);
  await host.tools(SESSION);
  callTool({ name: 'act', input: {} });
  await host.drain();
  const times = events.map(({ at }) => at);
  expect(times).toEqual([...times].sort((one, other) => one - other));
  // The two clocks of a process differ a little.
  expect(times[0]).toBeGreaterThan(before - 1_000);
  expect(times.at(-1)).toBeLessThan(Date.now() + 1_000);
});
