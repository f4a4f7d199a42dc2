import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, test, vi } from 'vitest';
import { Metrics } from './metrics.ts';

vi.mock('node:perf_hooks', { spy: true });

test('the lag of the event loop is what came since the look before, without the wait itself; closed, it measures no more', async () => {
  const histogram = {
    count: 0,
    enable: vi.fn(),
    disable: vi.fn(),
    reset: vi.fn(),
    percentile: (percent: number) => (percent === 100 ? 250e6 : 4e6),
  };
  vi.mocked(monitorEventLoopDelay).mockReturnValue(histogram as never);
  const metrics = new Metrics();
  expect(monitorEventLoopDelay).not.toHaveBeenCalled();
  expect(await metrics.read()).not.toContain('tiltyard_event_loop_lag_seconds{');
  histogram.count = 3;
  const text = await metrics.read();
  expect(text).toContain('tiltyard_event_loop_lag_seconds{quantile="0.5"} 0\n');
  expect(text).toContain('tiltyard_event_loop_lag_seconds{quantile="1"} 0.24\n');
  expect([histogram.enable, histogram.reset].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  expect(histogram.disable).not.toHaveBeenCalled();
  metrics.close();
  expect(histogram.disable).toHaveBeenCalledOnce();
});
