import { array, asyncProperty, assert as check, constantFrom } from 'fast-check';
import { expect, test } from 'vitest';
import { minimal } from '../../test/support/minimal.ts';
import { catalog, type Outcome, step, ToolError } from '../core/index.ts';
import { Session } from './episode/session.ts';
import { LocalHost } from './host.ts';
import { RecentResults } from './kept/recent-results.ts';
import { TaskIds } from './kept/task-id.ts';
import type { ObservedCall, ObservedSession, Observer } from './observer.ts';
import { DEFAULT_SESSION_OPTIONS } from './options.ts';

const environment = minimal({
  setup: async () => {},
  tools: {
    act: { run: () => 'done' },
    later: { run: async () => 'done' },
    together: { concurrent: true, run: async () => 'done' },
    finish: { run: () => step('done', { finished: true }) },
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

/** An observer that writes everything down. */
function recorder(): {
  observer: Observer;
  calls: Map<ObservedCall, string[]>;
  sessions: Map<ObservedSession, string[]>;
} {
  const calls = new Map<ObservedCall, string[]>();
  const sessions = new Map<ObservedSession, string[]>();
  const note = <Subject>(notes: Map<Subject, string[]>, subject: Subject, what: string) =>
    notes.set(subject, [...(notes.get(subject) ?? []), what]);
  const observer: Observer = {
    sessionStarted: (session) => note(sessions, session, 'started'),
    setupEnded: (session, result) => note(sessions, session, `setup ${result}`),
    sessionEnded: (session, outcome) => note(sessions, session, outcome),
    callStarted: (call) => note(calls, call, 'started'),
    callRunning: (call) => note(calls, call, 'running'),
    callEnded: (call, outcome) => note(calls, call, outcome),
  };
  return { observer, calls, sessions };
}

const ENDS = /^(scored|tool_error|env_error|timeout|cancelled|expired)$/;

const steps = constantFrom(
  ...[
    'act',
    'later',
    'together',
    'finish',
    'report',
    'crash',
    'hang',
    'deaf',
    'typed',
    'nonsense',
    '(turn)',
    '(delete)',
  ],
);

test('whatever is called, and whenever the session ends, each call and each session ends in exactly one outcome', async () => {
  await check(
    asyncProperty(array(steps, { maxLength: 12 }), async (names) => {
      const { observer, calls, sessions } = recorder();
      const options = { ...DEFAULT_SESSION_OPTIONS, graceMs: 1, drainMs: 0, observer };
      const host = new LocalHost(catalog([environment]), options);
      await host.create('s', { choice: { task: {} }, secrets: {} });
      let deleting: Promise<void> | undefined;
      let called = 0;
      for (const name of names) {
        if (name === '(turn)') await new Promise(setImmediate);
        else if (name === '(delete)') deleting ??= host.delete('s');
        else if (deleting === undefined) {
          host.call('s', { name, input: {} });
          called += 1;
        }
      }
      await deleting;
      await host.close();
      expect(calls.size).toBe(called);
      for (const notes of calls.values()) {
        expect(notes[0]).toBe('started');
        expect(notes.filter((note) => ENDS.test(note))).toEqual([notes.at(-1)]);
      }
      expect(sessions.size).toBe(1);
      for (const notes of sessions.values()) expect(notes.filter((note) => ENDS.test(note))).toEqual([notes.at(-1)]);
    }),
    { numRuns: 60 },
  );
});

test.each<[end: 'deleted' | 'expired' | 'stopped', outcome: Outcome]>([
  ['deleted', 'cancelled'],
  ['stopped', 'cancelled'],
  ['expired', 'expired'],
])('a session that is %s under its calls makes them %s, those that wait included', async (end, outcome) => {
  const { observer, calls, sessions } = recorder();
  const [ready] = catalog([environment]).environments;
  if (ready === undefined) throw new Error('there is one');
  const start = { sid: 's', environment: ready, task: {}, secrets: {} };
  const options = { ...DEFAULT_SESSION_OPTIONS, graceMs: 1, drainMs: 0, observer };
  const ids = new TaskIds();
  const session = new Session(1, start, { options, ids, recent: new RecentResults(ids, options), keep: options });
  await session.tools();
  session.call({ name: 'hang', input: {} });
  session.call({ name: 'hang', input: {} });
  await session.close(end);
  expect([...calls.values()]).toEqual([
    ['started', 'running', outcome],
    ['started', outcome],
  ]);
  expect([...sessions.values()]).toEqual([['started', 'setup ready', outcome]]);
});

test('a call that the end of the session cuts off does not hide the crash before it', async () => {
  const { observer, sessions } = recorder();
  const host = new LocalHost(catalog([environment]), { ...DEFAULT_SESSION_OPTIONS, graceMs: 1, observer });
  await host.create('s', { choice: { task: {} }, secrets: {} });
  await host.tools('s');
  const crash = host.call('s', { name: 'crash', input: {} });
  await expect.poll(() => crash.phase).toBe('settled');
  host.call('s', { name: 'deaf', input: {} });
  await host.delete('s');
  expect([...sessions.values()]).toEqual([['started', 'setup ready', 'env_error']]);
});
