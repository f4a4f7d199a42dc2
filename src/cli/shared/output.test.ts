import { expect, onTestFinished, test, vi } from 'vitest';
import { untilUnread } from './output.ts';

test('a full disk is complained of once, and is no reason to stop; a reader that has gone is one', async () => {
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
  expect(complaints.mock.calls).toEqual([['tiltyard: standard output cannot be written: write ENOSPC\n']]);
  fail('EPIPE');
  await unread;
  expect(complaints).toHaveBeenCalledOnce();
});
