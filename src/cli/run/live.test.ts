import { expect, onTestFinished, test, vi } from 'vitest';
import type { Progress } from '../../rollouts/index.ts';
import { showProgress } from './live.ts';

test('tokens that are estimated are marked while a run goes on', () => {
  vi.useFakeTimers();
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => {
    vi.useRealTimers();
    write.mockRestore();
  });
  const counts = { stops: {}, tokens: { input: 1_000, output: 234, estimated: true }, usd: 0 };
  const progress = { state: { done: 1, planned: 2, counts }, before: 0, elapsedMs: 1_000, active: 1, limit: 1 };
  const display = showProgress();
  display.start(progress as unknown as Progress);
  vi.advanceTimersByTime(10_000);
  expect(write.mock.calls.flat().join('')).toContain('1,234 tokens (estimated)');
  display[Symbol.dispose]();
});

test('the reward so far says what its margin is, in a line and on a terminal', () => {
  vi.useFakeTimers();
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const { isTTY } = process.stderr;
  onTestFinished(() => {
    vi.useRealTimers();
    write.mockRestore();
    process.stderr.isTTY = isTTY;
  });
  const counts = { stops: {}, tokens: { input: 1_234_567, output: 234_567, estimated: true }, usd: 123 };
  const reward = { mean: 1 / 3, standardError: 0.0614 };
  const progress = {
    state: { done: 1, planned: 2, counts },
    reward,
    before: 0,
    elapsedMs: 1_000,
    active: 16,
    limit: 16,
  };
  for (const isTerminal of [false, true]) {
    process.stderr.isTTY = isTerminal;
    write.mockClear();
    using display = showProgress();
    display.start(progress as unknown as Progress);
    vi.advanceTimersByTime(10_000);
    const shown = write.mock.calls.flat().join('');
    expect(shown).toContain('reward 0.333 ± 0.061 (standard error)');
    if (isTerminal) expect(shown).toContain('16 of 16 open');
  }
});
