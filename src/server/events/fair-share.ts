import type { Listener } from './listener.ts';

/**
 * Who has to leave when all places are taken and somebody else wants one: the oldest listener of the identity that has the most. Undefined
 * where that would only turn the tables.
 */
export function listenerToEnd(listeners: Iterable<Listener>, caller: string): Listener | undefined {
  const shares = new Map<string, Listener[]>();
  for (const listener of listeners) {
    const { caller: owner } = listener.interest;
    const share = shares.get(owner) ?? [];
    shares.set(owner, share);
    share.push(listener);
  }
  const own = shares.get(caller)?.length ?? 0;
  const [most = []] = [...shares.values()].sort((one, other) => other.length - one.length);
  return most.length > own + 1 ? most[0] : undefined;
}
