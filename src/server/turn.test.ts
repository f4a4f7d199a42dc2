import { expect, test } from 'vitest';
import { Turn } from './turn.ts';

test('work is done at the end of the turn, in order, and a failure does not stop the rest', async () => {
  const errors: unknown[] = [];
  const turn = new Turn((thrown) => errors.push(thrown));
  const done: string[] = [];
  turn.defer(() => done.push('first'));
  turn.defer(() => {
    throw new Error('broken');
  });
  turn.defer(() => done.push('second'));
  expect(done).toEqual([]);
  await turn.end();
  expect(done).toEqual(['first', 'second']);
  expect(errors).toMatchObject([{ message: 'broken' }]);
});
