import { expect, test } from 'vitest';
import { Call } from '../episode/call.ts';
import { Calls } from './kept-calls.ts';
import { KeptTotal } from './kept-total.ts';

const CALL_BYTES = 512;
const RESULT = 1_000;
// Of two results, but not of three.
const MAX_BYTES = 2 * (CALL_BYTES + RESULT);

/** Sessions that share a total, each with a way to end a call in it. */
function sessions(count: number) {
  const total = new KeptTotal(MAX_BYTES);
  const keep = { lingerMs: 60_000, maxKeptBytes: 1_000_000, total };
  const made = Array.from({ length: count }, () => {
    const calls = new Calls<Call>(keep, () => false);
    const end = (id: string, now = 0, bytes = RESULT) => {
      const call = new Call(id);
      calls.add(call);
      call.settle({ kind: 'result', json: 'x'.repeat(bytes), outcome: 'scored' });
      calls.settled(call, now);
    };
    return { calls, end, has: (id: string) => calls.find(id, 0) !== undefined };
  });
  return { total, made: made as [(typeof made)[0], (typeof made)[0]] };
}

test('the oldest result makes room, whichever session has it, and its id is not used again', () => {
  const { total, made } = sessions(2);
  const [first, second] = made;
  first.end('a');
  second.end('b');
  expect([first.has('a'), second.has('b')]).toEqual([true, true]);
  second.end('c');
  expect([first.has('a'), second.has('b'), second.has('c')]).toEqual([false, true, true]);
  expect(first.calls.hasSeen('a')).toBe(true);
  expect(total.bytes).toBe(MAX_BYTES);
});

test('a result that is larger than all that may be kept stays until the next comes', () => {
  const { made } = sessions(2);
  const [first, second] = made;
  first.end('a', 0, 10 * MAX_BYTES);
  expect(first.has('a')).toBe(true);
  second.end('b');
  expect([first.has('a'), second.has('b')]).toEqual([false, true]);
});

test('what a session gives up is free for others: by time, and at its end', () => {
  const { total, made } = sessions(2);
  const [first, second] = made;
  first.end('a', 0);
  first.end('b', 50_000);
  first.calls.sweep(70_000);
  expect(total.bytes).toBe(CALL_BYTES + RESULT);
  second.end('c', 70_000);
  expect([first.has('b'), second.has('c')]).toEqual([true, true]);
  first.calls.clear();
  expect(total.bytes).toBe(CALL_BYTES + RESULT);
  second.end('d', 70_000);
  expect([second.has('c'), second.has('d')]).toEqual([true, true]);
});
