import { EXIT_CODES, Failure } from './failure.ts';
import { onSignals } from './signals.ts';

/** Ctrl-C (or SIGTERM) as a signal; disposing of it gives the signals back. */
export interface Interruption extends Disposable {
  readonly signal: AbortSignal;
}

/** Turns the first Ctrl-C into an aborted signal, so that the command can clean up; the second ends the process at once. */
export function onInterrupt(): Interruption {
  const controller = new AbortController();
  const listening = onSignals({
    first: () => controller.abort(new Failure('interrupted', EXIT_CODES.interrupted)),
    again: () => process.exit(EXIT_CODES.interrupted),
  });
  return { signal: controller.signal, [Symbol.dispose]: () => listening[Symbol.dispose]() };
}
