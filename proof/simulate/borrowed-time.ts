import type { Timeline } from './timeline.ts';

// The first moment, in ms since 1970.
const BEGINNING = Date.UTC(2026, 0, 1);

/** Gives the processes of a simulation its time, wherever they ask for that of their own: outside of them, it stays as it is. */
export function borrowTime(timeline: Timeline): Disposable {
  const real = { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate, now: Date.now };
  const readClock = performance.now.bind(performance);
  const stop = (clear: (timer: never) => void) => (timer: unknown) =>
    timer instanceof VirtualTimer ? timer.stop() : clear(timer as never);
  Object.assign(globalThis, {
    setTimeout(run: Run, ms?: number, ...given: unknown[]) {
      const life = timeline.current;
      if (life === undefined) return real.setTimeout(run, ms, ...given);
      return new VirtualTimer(life.after(Math.max(1, ms ?? 1), () => run(...given)));
    },
    setInterval(run: Run, ms?: number, ...given: unknown[]) {
      const life = timeline.current;
      if (life === undefined) return real.setInterval(run, ms, ...given);
      const timer = new VirtualTimer(() => {});
      const next = () => {
        timer.stop = life.after(Math.max(1, ms ?? 1), () => {
          next();
          run(...given);
        });
      };
      next();
      return timer;
    },
    setImmediate(run: Run, ...given: unknown[]) {
      const life = timeline.current;
      if (life === undefined) return real.setImmediate(run, ...given);
      return new VirtualTimer(life.soon(() => run(...given)));
    },
    clearTimeout: stop(real.clearTimeout),
    clearInterval: stop(real.clearInterval),
    clearImmediate: stop(real.clearImmediate),
  });
  Date.now = () => (timeline.current === undefined ? real.now() : dateOf(timeline));
  const { timeOrigin } = performance;
  const origin = { configurable: true, get: () => (timeline.current === undefined ? timeOrigin : BEGINNING) };
  Object.defineProperty(performance, 'timeOrigin', origin);
  performance.now = () => (timeline.current === undefined ? readClock() : timeline.now);
  return {
    [Symbol.dispose]() {
      const { now, ...timers } = real;
      Object.assign(globalThis, timers);
      Date.now = now;
      Reflect.deleteProperty(performance, 'now');
      Reflect.deleteProperty(performance, 'timeOrigin');
    },
  };
}

/** The virtual time in ms since 1970. */
export function dateOf({ now }: Timeline): number {
  return BEGINNING + now;
}

type Run = (...given: unknown[]) => void;

class VirtualTimer {
  stop: () => void;

  constructor(stop: () => void) {
    this.stop = stop;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}
