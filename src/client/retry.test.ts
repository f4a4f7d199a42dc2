import { getEventListeners } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { pause } from './retry.ts';

/** A signal, and what hangs on it and on the clock. */
function watched() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const controller = new AbortController();
  const left = () => [getEventListeners(controller.signal, 'abort').length, vi.getTimerCount()];
  return { controller, left };
}

test('a pause that is over leaves nothing on its signal, which may see thousands of them', async () => {
  const { controller, left } = watched();
  const paused = pause(1_000, controller.signal);
  expect(left()).toEqual([1, 1]);
  await vi.advanceTimersByTimeAsync(1_000);
  await paused;
  expect(left()).toEqual([0, 0]);
});

test('a pause that is cut short leaves no timer, which would keep the program running', async () => {
  const { controller, left } = watched();
  const paused = pause(1_000, controller.signal);
  controller.abort(new Error('enough'));
  await expect(paused).rejects.toThrow('enough');
  expect(left()).toEqual([0, 0]);
  await expect(pause(1_000, controller.signal)).rejects.toThrow('enough');
  expect(left()).toEqual([0, 0]);
});
