import { expect, test } from 'vitest';
import type { Step } from '../../src/studio/api.ts';
import { fromLive, fromPlay, runningTotals } from './shown-step.ts';

const step: Step = {
  n: 0,
  tool: 'move',
  input: { direction: 'east' },
  status: 'returned',
  startedAt: 0,
  ms: 3,
  result: { blocks: [], reward: null, finished: false, metadata: null },
  problem: null,
  isReplay: false,
  divergences: [],
};

test('a step that paid nothing keeps "none", which is not 0', () => {
  expect(fromPlay(step).reward).toBeNull();
  expect(runningTotals([{ reward: null }, { reward: 1 }, { reward: -0.5 }])).toEqual([null, 1, 0.5]);
  expect(runningTotals([{ reward: null }, { reward: 0 }, { reward: null }])).toEqual([null, 0, 0]);
});

test('the value of an OXP tool is shown where there are no blocks', () => {
  const result = { blocks: [], reward: null, finished: false, metadata: null, value: { sum: 3 } };
  expect(fromPlay({ ...step, result }).blocks).toEqual([{ type: 'text', text: '{\n  "sum": 3\n}', detail: null }]);
});

test('a call of somebody else that timed out is a failure of the environment', () => {
  const { status, problem } = fromLive(
    { id: 'a', tool: 'move', startedAt: 0, ms: 5, outcome: 'timeout', reward: null, finished: false },
    0,
  );
  expect([status, problem?.kind]).toEqual(['failed', 'environment']);
});
