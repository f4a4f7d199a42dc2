import { expect, onTestFinished, test, vi } from 'vitest';
import { Heartbeat } from './heartbeat.ts';

test('one timer beats for all streams, and only while there are any', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const heartbeat = new Heartbeat(10);
  const [one, other] = [{ beat: vi.fn() }, { beat: vi.fn() }];
  const [removeOne, removeOther] = [heartbeat.add(one), heartbeat.add(other)];
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(10);
  removeOne();
  vi.advanceTimersByTime(10);
  expect([one.beat, other.beat].map(({ mock }) => mock.calls.length)).toEqual([1, 2]);
  removeOther();
  expect(vi.getTimerCount()).toBe(0);
  heartbeat.add(one);
  vi.advanceTimersByTime(10);
  expect(one.beat).toHaveBeenCalledTimes(2);
});
