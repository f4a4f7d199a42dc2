import { expect, test } from 'vitest';
import type { Step } from '../../../src/studio/api.ts';
import { alignSteps } from './align-steps.ts';

const step = (
  n: number,
  input: Step['input'],
  reward: number | null = null,
  metadata: Step['input'] | null = null,
): Step => ({
  n,
  tool: 'move',
  input,
  status: 'returned',
  startedAt: n,
  ms: 1,
  result: { blocks: [], reward, finished: false, metadata },
  problem: null,
  isReplay: false,
  divergences: [],
});

test('U3: what is the same, called otherwise, came out otherwise, or is missing is told apart', () => {
  const first = [step(0, { to: 'a' }), step(1, { to: 'b' }), step(2, { to: 'c' }, 1), step(3, {})];
  const second = [step(0, { to: 'a' }), step(1, { to: 'x' }), step(2, { to: 'c' }, 0)];
  expect(alignSteps(first, second).map(({ difference }) => difference)).toEqual(['none', 'call', 'result', 'missing']);
});

test('U3: the order of keys is no difference, and neither is the time', () => {
  const first = [step(0, { a: 1, b: 2 }, null, { x: 1, y: { p: 1, q: 2 } })];
  const second = [{ ...step(0, { b: 2, a: 1 }, null, { y: { q: 2, p: 1 }, x: 1 }), ms: 99 }];
  expect(alignSteps(first, second)[0]?.difference).toBe('none');
});
