import { expect, test } from 'vitest';
import type { RecordEvent } from '../../src/records/index.ts';
import { findSaid } from './find-said.ts';
import { toPassages } from './reading.ts';

const events = [
  { n: 0, at: 0, type: 'prompt', blocks: [{ type: 'text', text: 'How many text blocks?', detail: null }] },
  { n: 1, at: 1, type: 'call', tool: 'submit', input: { answer: 'Step by step' } },
  {
    n: 2,
    at: 2,
    type: 'result',
    call: 1,
    ms: 1,
    outcome: 'returned',
    blocks: [{ type: 'text', text: 'WRONG', detail: null }],
    reward: 0,
    finished: true,
    metadata: null,
  },
] as unknown as RecordEvent[];
const passages = toPassages(events);

test('U5: the first passage that says a text is found, a result at its call', () => {
  expect(findSaid(passages, 'how many')).toBe(0);
  expect(findSaid(passages, ' step BY ')).toBe(1);
  expect(findSaid(passages, 'wrong')).toBe(1);
});

test('what kind of passage it is says nothing', () => {
  expect(findSaid(passages, 'prompt')).toBeUndefined();
  expect(findSaid(passages, 'returned')).toBeUndefined();
});
