// A server and its clients wait for each other all the time. Where there are not more cores than they need, a thread that works for
// twenty milliseconds on end takes the place of one of them for so long, and the other one soon has nothing to do either. In short
// stretches, what is on its way between the two keeps both busy.
const WORK_MS = 0.25;
const REST_MS = 1;

// Whoever is late does not rest: all is written, however much there is.
const PATIENCE_MS = 50;

/** What to call now and then while a batch is written that was sent at a time of `Date.now()`; undefined if there is no time to rest. */
export function restsFor(sentAt: number): (() => void) | undefined {
  const now = Date.now();
  // A clock can be set back meanwhile.
  const until = Math.min(sentAt, now) + PATIENCE_MS;
  if (now >= until) return undefined;
  let begunAt = performance.now();
  return () => {
    if (performance.now() - begunAt < WORK_MS || Date.now() >= until) return;
    Atomics.wait(NOTHING, 0, 0, REST_MS);
    begunAt = performance.now();
  };
}

// Nobody ever changes it: waiting for that is the way to sleep.
const NOTHING = new Int32Array(new SharedArrayBuffer(4));
