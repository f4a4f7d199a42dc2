import type { CallEnding, CallListener } from '../../sessions/index.ts';

/** Starts a call, and waits for how it ends. */
export function settledCall(start: (on: CallListener) => void): Promise<CallEnding> {
  return new Promise((resolve) => {
    start((event) => {
      if (event.kind === 'settled') resolve(event.ending);
    });
  });
}
