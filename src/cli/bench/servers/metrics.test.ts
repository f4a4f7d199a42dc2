import { expect, test } from 'vitest';
import { toLag } from './metrics.ts';

test('the lag is read from the lines of prom-client, with labels or without', () => {
  const text = [
    '# HELP nodejs_eventloop_lag_p99_seconds The 99th percentile of the recorded event loop delays.',
    '# TYPE nodejs_eventloop_lag_p99_seconds gauge',
    'nodejs_eventloop_lag_p99_seconds{worker="1"} 0.0125 1700000000',
    'nodejs_eventloop_lag_mean_seconds 1.1e-2',
    'nodejs_eventloop_lag_max_seconds NaN',
  ].join('\r\n');
  expect(toLag(text)).toEqual({ p99Ms: 12.5, meanMs: 11 });
});

test('the lag is read from the lines of a server of Tiltyard', () => {
  const text = [
    'tiltyard_event_loop_lag_seconds{quantile="0.5"} 0.001',
    'tiltyard_event_loop_lag_seconds{quantile="0.9"} 0.002',
    'tiltyard_event_loop_lag_seconds{quantile="0.99"} 0.004',
    'tiltyard_event_loop_lag_seconds{quantile="1"} 0.5',
  ].join('\n');
  expect(toLag(text)).toEqual({ p50Ms: 1, p99Ms: 4, maxMs: 500 });
});

test('other metrics, and other texts, have no lag', () => {
  expect(toLag('process_cpu_seconds_total 12\n')).toBeUndefined();
  expect(toLag('<html>nodejs_eventloop_lag_p99_seconds</html>')).toBeUndefined();
});
