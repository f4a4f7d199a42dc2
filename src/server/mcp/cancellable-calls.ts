import type { RunningCall } from '../../mcp/index.ts';

/**
 * Running calls of clients that cancel with another request, by what they act on and by the id of their request. Several clients
 * may use the same ids: a cancellation that could mean more than one call means none.
 */
export class CancellableCalls {
  readonly #running = new Map<string, Set<RunningCall>>();

  /** Follows a call until it has ended. */
  add(place: string, id: string | number, call: RunningCall): void {
    const key = keyOf(place, id);
    const calls = this.#running.get(key) ?? new Set();
    this.#running.set(key, calls.add(call));
    const remove = () => {
      calls.delete(call);
      if (calls.size === 0) this.#running.delete(key);
    };
    call.told.then(remove, remove);
  }

  /** Cancels the call that has this id, if there is exactly one. */
  cancel(place: string, id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    const [call, ...others] = this.#running.get(keyOf(place, id)) ?? [];
    if (others.length === 0) call?.cancel();
  }
}

// The number 1 and the text "1" are different ids.
function keyOf(place: string, id: string | number): string {
  return `${place}\n${JSON.stringify(id)}`;
}
