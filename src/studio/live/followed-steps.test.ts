import { expect, test } from 'vitest';
import type { LiveStep } from '../api.ts';
import { FollowedSteps } from './followed-steps.ts';

function step(id: string, ms: number | null = null): LiveStep {
  return { id, tool: 't', startedAt: 0, ms, outcome: null, reward: null, finished: false };
}

const idsOf = (steps: FollowedSteps) => steps.list().map(({ id }) => id);

test('the newest steps are kept, as many as allowed', () => {
  const steps = new FollowedSteps({ steps: 2, bytes: 1_000 });
  for (const id of ['1', '2', '3']) steps.note(step(id), 10);
  expect(idsOf(steps)).toEqual(['2', '3']);
});

test('large contents push out older steps, and the newest is always kept', () => {
  const steps = new FollowedSteps({ steps: 10, bytes: 100 });
  for (const id of ['1', '2', '3']) steps.note(step(id), 40);
  expect(idsOf(steps)).toEqual(['2', '3']);
  steps.note(step('4'), 500);
  expect(idsOf(steps)).toEqual(['4']);
  steps.note(step('5'), 1);
  expect(idsOf(steps)).toEqual(['5']);
});

test('changes are told once, and none of a step that is gone', () => {
  const steps = new FollowedSteps({ steps: 1, bytes: 100 });
  steps.note(step('1'), 1);
  steps.note(step('2'), 1);
  steps.note(step('2', 5), 1);
  expect(steps.takeChanged()).toEqual([step('2', 5)]);
  expect(steps.takeChanged()).toEqual([]);
});
