import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { untilUnread } from './output.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('a full disk under the log is told once a minute for as long as lines are lost', () => {
  vi.useFakeTimers();
  const [before, told] = [process.stdout.listeners('error'), vi.spyOn(process.stderr, 'write').mockReturnValue(true)];
  void untilUnread();
  const lose = () => process.stdout.emit('error', Object.assign(new Error('ENOSPC: no space'), { code: 'ENOSPC' }));
  lose();
  lose();
  expect(told.mock.calls).toEqual([
    ['tiltyard: cannot write to standard output, so lines are lost: ENOSPC: no space\n'],
  ]);
  vi.advanceTimersByTime(60_000);
  lose();
  lose();
  expect(told).toHaveBeenCalledTimes(2);
  for (const listener of process.stdout.listeners('error'))
    if (!before.includes(listener)) process.stdout.off('error', listener as () => void);
});

test('a full disk is no reason to stop; a reader that has gone is one', async () => {
  const before = [process.stdout, process.stderr].map((stream) => [stream, stream.listeners('error')] as const);
  const complaints = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => {
    complaints.mockRestore();
    for (const [stream, listeners] of before) {
      for (const listener of stream.listeners('error'))
        if (!listeners.includes(listener)) stream.off('error', listener as () => void);
    }
  });
  const fail = (code: string) => process.stdout.emit('error', Object.assign(new Error(`write ${code}`), { code }));
  let isUnread = false;
  const unread = untilUnread().then(() => {
    isUnread = true;
  });
  fail('ENOSPC');
  fail('ENOSPC');
  await Promise.resolve();
  expect(isUnread).toBe(false);
  expect(complaints).toHaveBeenCalledOnce();
  fail('EPIPE');
  await unread;
  expect(complaints).toHaveBeenCalledOnce();
});
