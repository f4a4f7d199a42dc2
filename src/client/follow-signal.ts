import { End, type Stop } from './end.ts';

/** Calls back when a stop comes, until the returned function is called. */
export function followStop(stop: Stop, onStop: () => void): () => void {
  return stop instanceof End ? stop.follow(onStop) : followSignal(stop, onStop);
}

/** By signal: those who follow it. */
const followers = new WeakMap<AbortSignal, Followers>();

interface Followers {
  readonly all: Set<() => void>;
  readonly tell: () => void;
}

/**
 * Calls back when a signal is aborted, until the returned function is called. However many follow a signal, it has one listener: Node warns
 * of a leak at the eleventh, and a session may have more calls than that.
 */
export function followSignal(signal: AbortSignal, onAbort: () => void): () => void {
  const { all, tell } = followers.get(signal) ?? begin(signal);
  // One of its own, so that somebody may follow twice.
  const follower = () => onAbort();
  all.add(follower);
  return () => {
    if (!all.delete(follower) || all.size > 0) return;
    signal.removeEventListener('abort', tell);
    followers.delete(signal);
  };
}

function begin(signal: AbortSignal): Followers {
  const all = new Set<() => void>();
  const tell = () => {
    for (const follower of all) follower();
  };
  const begun = { all, tell };
  signal.addEventListener('abort', tell);
  followers.set(signal, begun);
  return begun;
}
