import { getEventListeners } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Silence } from './silence.ts';

test('what watched an attempt leaves nothing behind: a call may take thousands of them', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { signal } = new AbortController();
  {
    using silence = new Silence({ signal, silenceMs: 1_000 });
    silence.watch();
    expect([getEventListeners(signal, 'abort').length, vi.getTimerCount()]).toEqual([1, 1]);
  }
  expect([getEventListeners(signal, 'abort').length, vi.getTimerCount()]).toEqual([0, 0]);
});
