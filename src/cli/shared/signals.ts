/** Who hears of Ctrl-C, of SIGTERM, and of a terminal that was closed. */
export interface SignalListeners {
  first(signal: NodeJS.Signals): void;
  /** Somebody insists. */
  again(): void;
}

// npm sends Ctrl-C on to the program of a script, to which the terminal has sent it already; nobody presses so fast.
const ECHO_MS = 500;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Listens for Ctrl-C (or SIGTERM, or SIGHUP); disposing of it gives the signals back. */
export function onSignals({ first, again }: SignalListeners): Disposable {
  let firstAt: number | undefined;
  const listener = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (firstAt !== undefined) return now - firstAt < ECHO_MS ? undefined : again();
    firstAt = now;
    first(signal);
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  return {
    [Symbol.dispose]() {
      for (const signal of SIGNALS) process.off(signal, listener);
    },
  };
}
