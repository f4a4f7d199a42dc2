import { expect, test } from 'vitest';
import { ToolQueues } from './tool-queues.ts';

/** ToolQueues whose work stays until the test lets it leave, by name. */
function queues() {
  const entered: string[] = [];
  const leaves = new Map<string, () => void>();
  const all = new ToolQueues();
  return {
    entered,
    enter: (queue: string, name: string) =>
      all.enter(queue, (leave) => {
        entered.push(name);
        leaves.set(name, leave);
      }),
    leave: (name: string) => leaves.get(name)?.(),
  };
}

test('work starts at once in a free queue', () => {
  const { entered, enter, leave } = queues();
  enter('a', 'first');
  expect(entered).toEqual(['first']);
  leave('first');
  enter('a', 'second');
  expect(entered).toEqual(['first', 'second']);
});

test('in one queue, work starts one at a time in the order it came', () => {
  const { entered, enter, leave } = queues();
  for (const name of ['first', 'second', 'third']) enter('a', name);
  expect(entered).toEqual(['first']);
  leave('first');
  expect(entered).toEqual(['first', 'second']);
  enter('a', 'fourth');
  leave('second');
  leave('third');
  expect(entered).toEqual(['first', 'second', 'third', 'fourth']);
});

test('queues do not wait for each other', () => {
  const { entered, enter, leave } = queues();
  enter('a', 'a1');
  enter('a', 'a2');
  enter('b', 'b1');
  expect(entered).toEqual(['a1', 'b1']);
  leave('b1');
  enter('b', 'b2');
  expect(entered).toEqual(['a1', 'b1', 'b2']);
});

test('work that enters its own queue waits until it has left', () => {
  const all = new ToolQueues();
  const trace: string[] = [];
  all.enter('a', (leave) => {
    trace.push('outer begins');
    all.enter('a', (leaveInner) => {
      trace.push('inner');
      leaveInner();
    });
    trace.push('outer ends');
    leave();
  });
  expect(trace).toEqual(['outer begins', 'outer ends', 'inner']);
});

test('many queued pieces of work that end at once do not fill the stack', () => {
  const all = new ToolQueues();
  let open = () => {};
  let done = 0;
  all.enter('a', (leave) => {
    open = leave;
  });
  for (let count = 0; count < 20_000; count += 1) {
    all.enter('a', (leave) => {
      done += 1;
      leave();
    });
  }
  expect(done).toBe(0);
  open();
  expect(done).toBe(20_000);
});

test('work that has begun can take a free queue, and the next waits until it leaves', () => {
  const all = new ToolQueues();
  const trace: string[] = [];
  expect(all.isFree('a')).toBe(true);
  const leave = all.take('a');
  expect([all.isFree('a'), all.isFree('b')]).toEqual([false, true]);
  all.enter('a', (leaveNext) => {
    trace.push('next');
    leaveNext();
  });
  expect(trace).toEqual([]);
  leave();
  expect(trace).toEqual(['next']);
  expect(all.isFree('a')).toBe(true);
});
