import { expect, test } from 'vitest';
import type { WatchedCall } from '../../protocol/index.ts';
import { RecentSteps } from './recent-steps.ts';

function call(id: string): WatchedCall {
  return { id, tool: 't', ms: null, outcome: null, reward: null, finished: false };
}

const idsOf = (steps: RecentSteps, sid: string) => steps.of(sid).map(({ id }) => id);

test('each session keeps its newest steps', () => {
  const steps = new RecentSteps({ each: 2, all: 100 });
  for (const id of ['1', '2', '3', '3']) steps.add('a', call(id), 0);
  expect(idsOf(steps, 'a')).toEqual(['2', '3']);
  expect(idsOf(steps, 'b')).toEqual([]);
});

test('when all sessions together have too many, those that were quiet for longest lose theirs', () => {
  const steps = new RecentSteps({ each: 2, all: 4 });
  for (const sid of ['a', 'b']) for (const id of ['1', '2']) steps.add(sid, call(id), 0);
  steps.add('a', call('3'), 0);
  steps.add('c', call('1'), 0);
  expect(['a', 'b', 'c'].map((sid) => idsOf(steps, sid))).toEqual([['2', '3'], [], ['1']]);
  // What was forgotten makes room.
  steps.forget('c');
  for (const id of ['1', '2']) steps.add('d', call(id), 0);
  expect(['a', 'd'].map((sid) => idsOf(steps, sid))).toEqual([
    ['2', '3'],
    ['1', '2'],
  ]);
});
