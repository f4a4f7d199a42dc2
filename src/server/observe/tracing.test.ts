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

const CALL = {
  at: 0,
  call: { number: 7, id: 'c', tool: 't', identity: '', session: undefined, traceId: undefined },
} as const;

const SESSION = {
  at: 0,
  session: { number: 3, sid: 's', identity: '', environment: 'e', split: 'train', index: 2 },
} as const;

const ENDED = {
  type: 'call_ended',
  outcome: 'returned',
  durationMs: 1,
  ran: true,
  reward: 0.5,
  finished: false,
} as const;

test('the span of a call ends once, and is not kept', () => {
  const [end, setAttribute] = [vi.fn(), vi.fn()];
  const traces = new Tracing(providing({ end, setAttribute }));
  traces.on({ type: 'call_started', ...CALL, trace: undefined });
  traces.on({ type: 'call_running', ...CALL });
  traces.on({ ...ENDED, ...CALL });
  traces.on({ ...ENDED, ...CALL });
  expect(end).toHaveBeenCalledOnce();
  expect(setAttribute.mock.calls).toEqual([
    ['tiltyard.reward', 0.5],
    ['tiltyard.outcome', 'returned'],
  ]);
});

test('the spans of a session and its setup end once, and are not kept', () => {
  const end = vi.fn();
  const traces = new Tracing(providing({ end, setAttribute: vi.fn() }));
  traces.on({ type: 'session_started', ...SESSION, trace: undefined });
  expect(traces.within({ session: 3, part: 'setup', environment: 'math', sid: 's' }, () => 'set up')).toBe('set up');
  const setUp = { type: 'setup_ended', ...SESSION, result: 'ready', durationMs: 1 } as const;
  traces.on(setUp);
  traces.on(setUp);
  expect(end).toHaveBeenCalledTimes(1);
  const ended = { outcome: 'finished', reason: 'deleted', calls: 0, durationMs: 1, reward: null } as const;
  for (let times = 0; times < 2; times += 1) traces.on({ type: 'session_ended', ...SESSION, ...ended });
  expect(end).toHaveBeenCalledTimes(2);
});

test('an author’s code runs also if nothing is known of its call', () => {
  expect(
    new Tracing(providing({})).within(
      { call: 1, part: 'tool', tool: 'add', environment: 'math', sid: 's' },
      () => 'ran',
    ),
  ).toBe('ran');
});
