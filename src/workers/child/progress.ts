import type { Order } from '../messages.ts';

const [ORDER, BEATS] = [0, 1];

/** How far the thread of authors' code has come, in memory that its guard shares: a thread that is blocked cannot be asked. */
export class OrderProgress {
  readonly memory: SharedArrayBuffer = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
  readonly #numbers = new Int32Array(this.memory);

  /** Shows from now on, so often, that the thread is not blocked. */
  startBeating(ms: number): void {
    setInterval(() => Atomics.add(this.#numbers, BEATS, 1), ms).unref();
  }

  /** Carries out an order, and lets the guard know for as long as that takes. */
  during(order: Order, take: () => void): void {
    Atomics.store(this.#numbers, ORDER, numberOf(order));
    try {
      take();
    } finally {
      Atomics.store(this.#numbers, ORDER, 0);
    }
  }
}

/** What the server knows an order by. */
function numberOf(order: Order): number {
  switch (order.kind) {
    case 'run':
    case 'run_tool':
      return order.run;
    case 'ask':
      return order.id;
    case 'begin':
      return order.episode;
    default:
      return 0;
  }
}
