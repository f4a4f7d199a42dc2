import type { Socket } from 'node:net';

/** Tells when callers leave. One listener for each connection: a caller may send many calls on one of them at a time. */
export class Disconnects {
  readonly #waiting = new WeakMap<Socket, Set<() => void>>();

  /** Calls `onGone` when the connection closes; the returned function calls that off. */
  watch(socket: Socket, onGone: () => void): () => void {
    if (socket.destroyed) {
      onGone();
      return NOTHING_TO_CALL_OFF;
    }
    const waiting = this.#waiting.get(socket) ?? this.#listen(socket);
    waiting.add(onGone);
    return () => void waiting.delete(onGone);
  }

  #listen(socket: Socket): Set<() => void> {
    const waiting = new Set<() => void>();
    this.#waiting.set(socket, waiting);
    socket.once('close', () => {
      for (const onGone of waiting) onGone();
    });
    return waiting;
  }
}

const NOTHING_TO_CALL_OFF = (): void => {};
