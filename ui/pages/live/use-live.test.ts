import { expect, test } from 'vitest';
import type { LiveSession, LiveStep } from '../../../src/studio/api.ts';
import { reduceFollowed, reduceLive } from './use-live.ts';

const session = (sid: string, calls = 0): LiveSession => ({
  sid,
  environment: 'e',
  identity: '',
  split: 'train',
  index: 0,
  startedAt: 0,
  state: 'open',
  calls,
  running: 0,
  lastTool: null,
  lastAt: 0,
  reward: null,
  finished: false,
  outcome: null,
});
const live = { status: 'on', sessions: [session('a'), session('b')], dropped: 0, problem: null } as const;

test('U4: sessions change in their places, new ones come last, and those that are gone go', () => {
  const first = reduceLive(undefined, { topic: 't', type: 'live', live });
  const next = reduceLive(first, {
    topic: 't',
    type: 'live_changes',
    sessions: [session('a', 3), session('c')],
    gone: ['b'],
    dropped: 2,
  });
  expect([...(next?.sessions.values() ?? [])].map(({ sid, calls }) => [sid, calls])).toEqual([
    ['a', 3],
    ['c', 0],
  ]);
  expect(next?.dropped).toBe(2);
});

test('U4: a step that ends takes the place of the one that ran', () => {
  const step = (id: string, ms: number | null): LiveStep => ({
    id,
    tool: 't',
    startedAt: 0,
    ms,
    outcome: null,
    reward: null,
    finished: false,
  });
  const first = reduceFollowed(undefined, {
    topic: 't',
    type: 'follow',
    follow: { session: session('a'), steps: [step('1', null)], problem: null },
  });
  const next = reduceFollowed(first, {
    topic: 't',
    type: 'follow_changes',
    session: null,
    steps: [step('1', 5), step('2', null)],
    problem: null,
  });
  expect(next?.steps.map(({ id, ms }) => [id, ms])).toEqual([
    ['1', 5],
    ['2', null],
  ]);
  expect(next?.session?.sid).toBe('a');
});
