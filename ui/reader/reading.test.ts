import { expect, test } from 'vitest';
import type { RecordEvent } from '../../src/records/index.ts';
import { stepsOf, toPassages } from './reading.ts';

const at = 0;
const events: RecordEvent[] = [
  { n: 0, at, type: 'episode', v: 1, by: 'run', environment: 'e', versions: {} },
  { n: 1, at, type: 'prompt', blocks: [] },
  { n: 2, at, type: 'call', tool: 'move', input: {} },
  { n: 3, at, type: 'call', tool: 'nope', input: {} },
  {
    n: 4,
    at,
    type: 'result',
    call: 3,
    ms: 1,
    outcome: 'tool_error',
    failure: { reason: 'not_found', message: 'no tool' },
  },
  {
    n: 5,
    at,
    type: 'result',
    call: 2,
    ms: 2,
    outcome: 'returned',
    blocks: [],
    reward: 1,
    finished: true,
    metadata: null,
  },
  { n: 6, at, type: 'call', tool: 'wait', input: {} },
];

test('U5: a call stands with its own result, also if another one ended first', () => {
  const steps = stepsOf(toPassages(events));
  expect(steps.map(({ tool, status, reward }) => [tool, status, reward])).toEqual([
    ['move', 'returned', 1],
    ['nope', 'failed', null],
    ['wait', 'running', null],
  ]);
  expect(steps.map(({ number }) => number)).toEqual([1, 2, 3]);
});

test('U5: a call that was not run is told apart from a tool that failed', () => {
  expect(stepsOf(toPassages(events))[1]?.problem?.kind).toBe('refused');
});
