import { getEventListeners } from 'node:events';
import { expect, test, vi } from 'vitest';
import { followSignal } from './follow-signal.ts';
import { unlessAborted } from './unless-aborted.ts';

test('many follow a signal with one listener, and the last who leaves takes it along', () => {
  const { signal, ...controller } = withSignal();
  const heard = Array.from({ length: 20 }, () => vi.fn());
  const [leave, ...others] = heard.map((hear) => followSignal(signal, hear));
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  leave?.();
  leave?.();
  controller.abort();
  expect(heard.map(({ mock }) => mock.calls.length)).toEqual([0, ...Array(19).fill(1)]);
  for (const each of others) each();
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('one who leaves because of the signal is not called any more', () => {
  const { signal, ...controller } = withSignal();
  const last = vi.fn();
  let leaveLast = () => {};
  followSignal(signal, () => leaveLast());
  leaveLast = followSignal(signal, last);
  controller.abort();
  expect(last).not.toHaveBeenCalled();
});

test('what was waited for leaves nothing on the signal, however it ended', async () => {
  const { signal, ...controller } = withSignal();
  expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1);
  await expect(unlessAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  const waiting = unlessAborted(new Promise(() => {}), signal);
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  controller.abort(new Error('given up'));
  await expect(waiting).rejects.toThrow('given up');
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

function withSignal(): { signal: AbortSignal; abort: (reason?: unknown) => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason) => controller.abort(reason) };
}
