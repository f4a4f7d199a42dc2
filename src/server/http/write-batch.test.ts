import { expect, test } from 'vitest';
import { WriteBatch } from './write-batch.ts';

test('work is done at the end of the turn, in order, and a failure does not stop the rest', async () => {
  const errors: unknown[] = [];
  const turn = new WriteBatch((thrown) => errors.push(thrown));
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

const nextTurn = () => new Promise(setImmediate);

test('the only answer of a turn is given at once, and those of a busy one together', async () => {
  const turn = new WriteBatch((thrown) => expect.fail(String(thrown)));
  const done: string[] = [];
  const give = (...names: string[]) => {
    for (const name of names) turn.soon(() => done.push(name));
  };
  give('first');
  expect(done).toEqual(['first']);
  // A second one in the same turn: from now on there may be many.
  give('second', 'third');
  expect(done).toEqual(['first']);
  await nextTurn();
  expect(done).toEqual(['first', 'second', 'third']);
  give('fourth');
  expect(done).toEqual(['first', 'second', 'third']);
  await nextTurn();
  expect(done).toEqual(['first', 'second', 'third', 'fourth']);
  // The last turn had one: it is quiet again.
  give('fifth');
  expect(done.at(-1)).toBe('fifth');
});

test('an answer at once that fails is reported like any other', () => {
  const errors: unknown[] = [];
  const turn = new WriteBatch((thrown) => errors.push(thrown));
  turn.soon(() => {
    throw new Error('broken');
  });
  expect(errors).toMatchObject([{ message: 'broken' }]);
});
