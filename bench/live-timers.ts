/** Timers that are set and have neither fired nor been cleared. */
export interface LiveTimers {
  readonly count: number;
}

type Timer = ReturnType<typeof setTimeout>;

/**
 * Counts the timers that code in this folder sets from now on. Node itself tells only of those that keep a process
 * running, and does not say whose they are.
 */
export function countTimers(folder: string): LiveTimers {
  const live = new Set<Timer>();
  const add = (timer: Timer) => {
    if (new Error().stack?.includes(folder)) live.add(timer);
    return timer;
  };
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  const clear = (forget: (timer: never) => void) => (timer: Timer) => {
    live.delete(timer);
    forget(timer as never);
  };
  Object.assign(globalThis, {
    setTimeout(run: (...values: unknown[]) => void, ms: number, ...values: unknown[]) {
      const timer = setTimeout(() => {
        live.delete(timer);
        run(...values);
      }, ms);
      return add(timer);
    },
    setInterval: (run: () => void, ms: number) => add(setInterval(run, ms)),
    clearTimeout: clear(clearTimeout),
    clearInterval: clear(clearInterval),
  });
  return {
    get count() {
      return live.size;
    },
  };
}
