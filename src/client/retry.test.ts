import { getEventListeners } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { NetworkError } from './errors.ts';
import { pause, withRetries } from './retry.ts';

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

test.each([
  ['a connection that broke', 'ECONNRESET', true],
  ['a certificate that nobody has signed', 'DEPTH_ZERO_SELF_SIGNED_CERT', false],
  ['a certificate of an unknown authority', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', false],
  ['a certificate that is over', 'CERT_HAS_EXPIRED', false],
  ['a certificate of another host', 'ERR_TLS_CERT_ALTNAME_INVALID', false],
])('%s (%s) is tried again: %s', async (_what, code, isRepeated) => {
  let attempts = 0;
  const run = async () => {
    attempts += 1;
    throw new NetworkError('it failed', { code });
  };
  const trying = withRetries('a request', run, { retry: { attempts: 3, pauseMs: 0, maxPauseMs: 0 } });
  await expect(trying).rejects.toThrow();
  expect(attempts).toBe(isRepeated ? 3 : 1);
});
