import { expect, onTestFinished, test, vi } from 'vitest';
import { Pinger } from './pinger.ts';

const EVERY_MS = 1_000;

/** Stops the clock, and lets the test say where in the interval the next sessions begin. */
function stopClock(...phases: readonly number[]): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
  const random = vi.spyOn(Math, 'random');
  for (const phase of phases) random.mockReturnValueOnce(phase);
  onTestFinished(() => {
    random.mockRestore();
    vi.useRealTimers();
  });
}

/** A pinger, and what it pinged when. */
function startPinger(): { pinger: Pinger; pinged: string[]; session(name: string): { ping(): Promise<void> } } {
  const pinged: string[] = [];
  const begun = Date.now();
  const session = (name: string) => ({ ping: async () => void pinged.push(`${name} ${Date.now() - begun}`) });
  return { pinger: new Pinger(EVERY_MS), pinged, session };
}

test('sessions that begin together are pinged at different times, each once an interval', async () => {
  stopClock(0, 0.5);
  const { pinger, pinged, session } = startPinger();
  pinger.add(session('a'));
  pinger.add(session('b'));
  await vi.advanceTimersByTimeAsync(2 * EVERY_MS);
  expect(pinged).toEqual(['a 20', 'b 500', 'a 1000', 'b 1500', 'a 2000']);
});

test('after a stall, sessions are pinged a few at a time', async () => {
  stopClock(...Array.from({ length: 100 }, () => 0));
  const { pinger, pinged, session } = startPinger();
  for (let count = 0; count < 100; count += 1) pinger.add(session(`${count}`));
  await vi.advanceTimersByTimeAsync(20);
  expect(pinged).toHaveLength(10);
  await vi.advanceTimersByTimeAsync(180);
  expect(new Set(pinged.map((each) => each.split(' ')[0])).size).toBe(100);
});

test('one timer serves all, and goes with the last of them', () => {
  stopClock();
  const { pinger, session } = startPinger();
  const [a, b] = [session('a'), session('b')];
  pinger.add(a);
  pinger.add(b);
  expect(vi.getTimerCount()).toBe(1);
  pinger.remove(a);
  expect(vi.getTimerCount()).toBe(1);
  pinger.remove(b);
  expect(vi.getTimerCount()).toBe(0);
});
