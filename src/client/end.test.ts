import { expect, test, vi } from 'vitest';
import { End } from './end.ts';

test('an end has a signal for those who ask, before it comes and after it', () => {
  const [end, reason] = [new End(), new Error('enough')];
  const { signal } = end;
  expect(signal.aborted).toBe(false);
  end.come(reason);
  end.come(new Error('too late'));
  expect([signal.aborted, signal.reason]).toEqual([true, reason]);
  const late = new End();
  late.come(reason);
  expect([late.signal.aborted, late.signal.reason]).toEqual([true, reason]);
});

test('those who follow an end hear of it once, unless they have left', () => {
  const end = new End();
  const [stays, leaves] = [vi.fn(), vi.fn()];
  end.follow(stays);
  end.follow(leaves)();
  end.come('over');
  end.come('again');
  expect([stays.mock.calls.length, leaves.mock.calls.length]).toEqual([1, 0]);
  expect(() => end.throwIfAborted()).toThrow('over');
});
