import { expect, test } from 'vitest';
import { EnvironmentError } from '../../core/index.ts';
import { Call } from '../episode/call.ts';
import { Calls } from './kept-calls.ts';

const LINGER = 60_000;
const KEEP = { lingerMs: LINGER, maxKeptBytes: 1_000_000_000 };
const isOurs = (id: string) => id === 'ours';

/** The calls of a session, with one that ended at the given time. */
function withEnded(id: string, endedAt: number): { calls: Calls<Call>; call: Call } {
  const calls = new Calls<Call>(KEEP, isOurs);
  const call = new Call(id);
  calls.add(call);
  call.settle({ kind: 'result', json: '{}', outcome: 'scored' });
  calls.settled(call, endedAt);
  return { calls, call };
}

test('a call is found by its id for as long as it runs', () => {
  const calls = new Calls<Call>(KEEP, isOurs);
  const call = new Call('a');
  calls.add(call);
  expect(calls.runningCount).toBe(1);
  expect([...calls.running]).toEqual([call]);
  expect(calls.find('a', 1_000 * LINGER)).toBe(call);
  expect(calls.find('b', 0)).toBeUndefined();
});

test('R6: a call that was refused does not take the one that runs under its id with it', () => {
  const calls = new Calls<Call>(KEEP, isOurs);
  const [running, refused] = [new Call('a'), new Call('a')];
  calls.add(running);
  calls.drop(refused);
  expect(calls.endRunning(refused)).toBe(false);
  expect(calls.find('a', 0)).toBe(running);
});

test('what a call failed with counts like a result', () => {
  const failing = (thrown: Error) => {
    const call = new Call('a');
    call.settle({ kind: 'error', error: new EnvironmentError('environment_failed', 'tool failed', { thrown }) });
    return call.bytes;
  };
  const [short, long] = [failing(new Error('x')), failing(new Error('x'.repeat(5_000)))];
  expect(long - short).toBeGreaterThanOrEqual(2 * 4_999);
  // Nobody reads more, and it may be somebody's whole input.
  expect(failing(new Error('x'.repeat(10_000_000)))).toBeLessThan(50_000);
});

test('what a call failed with holds nothing of the request', () => {
  const thrown = Object.assign(new Error('broken'), { request: 'a large one' });
  const error = new EnvironmentError('environment_failed', 'tool failed', { thrown });
  new Call('a').settle({ kind: 'error', error });
  expect(error.stack).toBe('');
  expect(error.cause).not.toHaveProperty('request');
  expect(error.cause).toMatchObject({ message: 'broken', stack: thrown.stack });
});

test('R3, R4: a call that ended is found until its time is over, and not a moment longer', () => {
  const { calls, call } = withEnded('a', 5_000);
  expect(calls.runningCount).toBe(0);
  expect(calls.find('a', 5_000 + LINGER)).toBe(call);
  expect(calls.find('a', 5_000 + LINGER + 1)).toBeUndefined();
});

test('R6: an id is known as used from the end of its call on, also when the result is gone', () => {
  const { calls } = withEnded('a', 0);
  expect(calls.hasSeen('a')).toBe(true);
  calls.sweep(LINGER + 1);
  expect(calls.find('a', LINGER + 1)).toBeUndefined();
  expect(calls.hasSeen('a')).toBe(true);
  expect(calls.hasSeen('b')).toBe(false);
});

test('sweeping frees the results whose time is over and leaves the others', () => {
  const { calls } = withEnded('old', 0);
  const [recent, running] = [new Call('recent'), new Call('running')];
  recent.settle({ kind: 'result', json: '{}', outcome: 'scored' });
  calls.settled(recent, 30_000);
  calls.add(running);
  calls.sweep(LINGER + 1);
  expect(calls.find('old', 0)).toBeUndefined();
  expect(calls.find('recent', LINGER + 1)).toBe(recent);
  expect(calls.find('running', LINGER + 1)).toBe(running);
});

test('ids of the server need not be remembered: no client can choose them', () => {
  const { calls } = withEnded('ours', 0);
  calls.sweep(LINGER + 1);
  expect(calls.hasSeen('ours')).toBe(false);
});

test('the latest 10,000 ids of clients are remembered, and no more than twice as many', () => {
  const calls = new Calls<Call>(KEEP, isOurs);
  const settle = (count: number) => {
    const call = new Call(`call-${count}`);
    call.settle({ kind: 'result', json: '{}', outcome: 'scored' });
    calls.settled(call, 0);
  };
  for (let count = 0; count <= 20_000; count += 1) settle(count);
  calls.sweep(LINGER + 1);
  const remembered = Array.from({ length: 20_001 }, (_, count) => calls.hasSeen(`call-${count}`));
  expect(remembered.indexOf(true)).toBe(10_000);
  expect(remembered.lastIndexOf(false)).toBe(9_999);
});

test('freeing the oldest costs the same however many there are', () => {
  const KEPT = 150_000;
  // Room for so many without results.
  const calls = new Calls<Call>({ lingerMs: LINGER, maxKeptBytes: KEPT * 512 }, isOurs);
  const settle = (count: number) => {
    const call = new Call(`call-${count}`);
    call.phase = 'settled';
    calls.settled(call, 0);
  };
  for (let count = 0; count < KEPT; count += 1) settle(count);
  const before = process.cpuUsage();
  for (let count = KEPT; count < 2 * KEPT; count += 1) settle(count);
  // Far less on a machine with nothing else to do; with the order of a Map it is far more.
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(3_000);
  expect(calls.find('call-0', 0)).toBeUndefined();
  expect(calls.find(`call-${KEPT}`, 0)?.id).toBe(`call-${KEPT}`);
});

test('a call that is dropped leaves its id free', () => {
  const { calls, call } = withEnded('a', 0);
  calls.drop(call);
  expect(calls.find('a', 0)).toBeUndefined();
  expect(calls.hasSeen('a')).toBe(false);
});

test('R11: clearing forgets everything', () => {
  const { calls } = withEnded('a', 0);
  calls.add(new Call('b'));
  calls.clear();
  expect(calls.find('a', 0)).toBeUndefined();
  expect(calls.runningCount).toBe(0);
  expect(calls.hasSeen('a')).toBe(false);
});
