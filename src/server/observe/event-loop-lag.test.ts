import { Registry } from 'prom-client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { pause } from '../../../test/support/fixture.ts';
import { byLabel, toSamples } from '../../../test/support/samples.ts';
import { EventLoopLag } from './event-loop-lag.ts';

const HELD_UP_MS = 80;
const TICKS_MS = 250;

/** A lag that is measured in real time, while the test turns its clock. */
async function startLag() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const registry = new Registry();
  const lag = new EventLoopLag();
  lag.publish(registry);
  lag.start();
  onTestFinished(() => {
    lag.close();
    vi.useRealTimers();
  });
  const read = async () =>
    byLabel(toSamples(await registry.metrics()), { name: 'tiltyard_event_loop_lag_seconds', label: 'quantile' });
  return { lag, read };
}

async function holdUp(): Promise<void> {
  // What it measures begins with its first tick, and shows with the one after; a busy machine is late with both.
  await pause(TICKS_MS);
  const until = performance.now() + HELD_UP_MS;
  while (performance.now() < until);
  await pause(TICKS_MS);
}

test('a peak of the event loop’s lag is there for everybody who looks within a minute, and gone after two', async () => {
  const { read } = await startLag();
  await holdUp();
  const peak = async () => (await read())['1'];
  for (let looks = 0; looks < 3; looks += 1) expect(await peak()).toBeGreaterThan(0.05);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await peak()).toBeGreaterThan(0.05);
  await holdUp();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await peak()).toBeGreaterThan(0.05);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await peak()).toBeLessThan(0.05);
});

test('the first look has values already, and after the end no timer is left', async () => {
  const { lag, read } = await startLag();
  expect(Object.keys(await read()).sort()).toEqual(['0.5', '0.9', '0.99', '1']);
  expect(vi.getTimerCount()).toBe(1);
  lag.close();
  expect(vi.getTimerCount()).toBe(0);
});
