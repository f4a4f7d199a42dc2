/** Who hears of Ctrl-C and of SIGTERM. */
export interface SignalListeners {
  first(signal: NodeJS.Signals): void;
  /** Somebody insists. */
  again(): void;
}

// npm sends Ctrl-C on to the program of a script, to which the terminal has sent it already; nobody presses so fast.
const ECHO_MS = 500;

/** Listens for Ctrl-C (or SIGTERM); disposing of it gives the signals back. */
export function onSignals({ first, again }: SignalListeners): Disposable {
  let firstAt: number | undefined;
  const listener = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (firstAt !== undefined) return now - firstAt < ECHO_MS ? undefined : again();
    firstAt = now;
    first(signal);
  };
  process.on('SIGINT', listener);
  process.on('SIGTERM', listener);
  return {
    [Symbol.dispose]() {
      process.off('SIGINT', listener);
      process.off('SIGTERM', listener);
    },
  };
}
