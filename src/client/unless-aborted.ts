import type { Stop } from './end.ts';
import { followStop } from './follow-signal.ts';

/** A promise that does not outlast the signal; what it waits for goes on. */
export async function unlessAborted<Value>(work: Promise<Value>, signal: Stop): Promise<Value> {
  let unfollow: () => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    unfollow = followStop(signal, () => reject(signal.reason));
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    unfollow();
  }
}
