import { getEventListeners } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Deadline } from './deadline.ts';
import { End } from './end.ts';

test('an operation that is over leaves nothing on the clock and on the signals that outlive it', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { signal } = new AbortController();
  const session = new End();
  const left = () => [vi.getTimerCount(), getEventListeners(signal, 'abort').length, session.followers];
  {
    using _deadline = new Deadline({ what: 'this' }, { signal, timeoutMs: 60_000 }, session);
    expect(left()).toEqual([1, 1, 1]);
  }
  expect(left()).toEqual([0, 0, 0]);
});
