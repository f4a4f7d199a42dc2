import { expect, test } from 'vitest';
import { readReport } from './read-report.ts';

const report = {
  unit: 'call',
  servers: [
    {
      name: 'math',
      url: 'http://x',
      perSecond: { median: 1200, min: 1000, max: 1300 },
      completed: 99,
      failed: 1,
      latencyMs: { p50: 1, p90: 2, p99: 4, max: 9 },
      histogram: [
        [0.9, 1.1, 60],
        [8, 9, 1],
      ],
    },
  ],
};

test('U6: a report of bench is read: throughput, latency and errors', () => {
  const [server] = readReport(report);
  expect(server).toMatchObject({ perSecond: 1200, failed: 1, latency: { p99: 4, max: 9 } });
  expect(server?.bins.reduce((sum, { count }) => sum + count, 0)).toBe(61);
});

test('U6: a report that somebody else wrote does no harm', () => {
  for (const strange of [{}, { servers: 3 }, { servers: [null, 1, { latencyMs: [] }] }])
    expect(readReport(strange as never)).toEqual([]);
});
