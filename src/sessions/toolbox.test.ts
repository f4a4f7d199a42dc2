import { expect, onTestFinished, test, vi } from 'vitest';
import { DEFAULT_LIMITS, silent } from '../core/index.ts';
import { Calls } from './calls.ts';
import { unobserved } from './observer.ts';
import { Toolbox } from './toolbox.ts';

test('results whose time is over are freed also if nobody asks for them, until the toolbox closes', async () => {
  vi.useFakeTimers();
  const sweep = vi.spyOn(Calls.prototype, 'sweep');
  onTestFinished(() => {
    sweep.mockRestore();
    vi.useRealTimers();
  });
  const toolbox = new Toolbox({ limits: DEFAULT_LIMITS, log: silent, observer: unobserved });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sweep).toHaveBeenCalledTimes(2);
  await toolbox.close();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(sweep).toHaveBeenCalledTimes(2);
});
