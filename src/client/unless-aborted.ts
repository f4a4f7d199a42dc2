import { followSignal } from './follow-signal.ts';

/** A promise that does not outlast the signal; what it waits for goes on. */
export async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  let unfollow: () => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    unfollow = followSignal(signal, () => reject(signal.reason));
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    unfollow();
  }
}
