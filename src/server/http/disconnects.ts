import type { Socket } from 'node:net';

/** Tells when callers leave. One listener for each connection: a caller may send many calls on one of them at a time. */
export class Disconnects {
  readonly #waiting = new WeakMap<Socket, (() => void)[]>();

  /** Calls `onGone` when the connection closes; the returned function calls that off. */
  watch(socket: Socket, onGone: () => void): () => void {
    if (socket.destroyed) {
      onGone();
      return NOTHING_TO_CALL_OFF;
    }
    const waiting = this.#waiting.get(socket) ?? this.#listen(socket);
    waiting.push(onGone);
    return () => {
      const at = waiting.indexOf(onGone);
      if (at !== -1) waiting.splice(at, 1);
    };
  }

  #listen(socket: Socket): (() => void)[] {
    const waiting: (() => void)[] = [];
    this.#waiting.set(socket, waiting);
    socket.once('close', () => {
      for (const onGone of waiting.splice(0)) onGone();
    });
    return waiting;
  }
}

const NOTHING_TO_CALL_OFF = (): void => {};
