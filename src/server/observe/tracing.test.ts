import type { Span, TracerProvider } from '@opentelemetry/api';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Tracing, tracing } from './tracing.ts';

test('where no SDK is registered nothing traces, so that nothing is spent on it', () => {
  expect(tracing()).toBeUndefined();
});

/** A provider whose spans all are this one. */
function providing(span: Partial<Span>, forceFlush?: () => Promise<void>): TracerProvider {
  return { getTracer: () => ({ startSpan: () => span }), forceFlush } as unknown as TracerProvider;
}

test.each<[what: string, forceFlush: (() => Promise<void>) | undefined, waitMs: number]>([
  ['that has nothing to send', undefined, 0],
  ['that has sent all', async () => {}, 0],
  ['whose collector refuses', () => Promise.reject(new Error('503')), 0],
  ['whose collector is down', () => new Promise(() => {}), 2_000],
])(
  'a server that stops waits for an SDK %s, but not for ever, and leaves no timer',
  async (_what, forceFlush, waitMs) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let isFlushed = false;
    const flushed = new Tracing(providing({}, forceFlush)).flush().then(() => {
      isFlushed = true;
    });
    await vi.advanceTimersByTimeAsync(Math.max(0, waitMs - 1));
    expect(isFlushed).toBe(waitMs === 0);
    await vi.advanceTimersByTimeAsync(1);
    await flushed;
    expect(vi.getTimerCount()).toBe(0);
  },
);

test('the span of a call ends once, and is not kept', () => {
  const end = vi.fn();
  const traces = new Tracing(providing({ end, setAttribute: vi.fn() }));
  const call = { callId: 'c', tool: 't', startedAt: 0, settledAt: 0, hasRun: true };
  traces.callStarted(call, undefined);
  traces.callEnded(call, 'scored');
  traces.callEnded(call, 'scored');
  expect(end).toHaveBeenCalledOnce();
});
