import { getEventListeners } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Deadline } from './deadline.ts';

test('an operation that is over leaves nothing on the clock and on the signals that outlive it', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { signal } = new AbortController();
  const { signal: session } = new AbortController();
  const left = () => [vi.getTimerCount(), ...[signal, session].map((each) => getEventListeners(each, 'abort').length)];
  {
    using _deadline = new Deadline({ what: 'this' }, { signal, timeoutMs: 60_000 }, session);
    expect(left()).toEqual([1, 1, 1]);
  }
  expect(left()).toEqual([0, 0, 0]);
});
