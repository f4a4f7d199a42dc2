import { onTestFinished, vi } from 'vitest';

/** A clock that goes only when the test says so. */
export interface Clock {
  /** Lets the time pass, with all that was planned for it. */
  pass(ms: number): Promise<void>;
}

export const SECOND = 1_000;
export const MINUTE: number = 60 * SECOND;

/** Stops the clock of sessions, pings and sweeps; sockets go on. Call it before the server is started. */
export function stopClock(more: ('setTimeout' | 'clearTimeout')[] = []): Clock {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval', ...more] });
  onTestFinished(() => void vi.useRealTimers());
  return { pass: async (ms) => void (await vi.advanceTimersByTimeAsync(ms)) };
}

/** Waits for what comes by itself, and soon. */
export function eventually<Value>(expectation: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitFor(expectation, { timeout: 10 * SECOND, interval: 10 });
}
