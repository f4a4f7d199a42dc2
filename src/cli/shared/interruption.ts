import { EXIT_CODES, Failure } from './failure.ts';

/** Ctrl-C (or SIGTERM) as a signal; disposing of it gives the signals back. */
export interface Interruption extends Disposable {
  readonly signal: AbortSignal;
}

/** Turns the first Ctrl-C into an aborted signal, so that the command can clean up; the second ends the process at once. */
export function onInterrupt(): Interruption {
  const controller = new AbortController();
  const listener = () => {
    if (controller.signal.aborted) process.exit(EXIT_CODES.interrupted);
    controller.abort(new Failure('interrupted', EXIT_CODES.interrupted));
  };
  process.on('SIGINT', listener);
  process.on('SIGTERM', listener);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      process.off('SIGINT', listener);
      process.off('SIGTERM', listener);
    },
  };
}
