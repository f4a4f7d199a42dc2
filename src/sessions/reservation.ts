import type { TiltyardError } from '../core/index.ts';

/** The place of a session whose task is being read. */
export class Reservation {
  readonly since: number = performance.now();
  /** Rejects when somebody calls it off; never resolves. */
  readonly cancelled: Promise<never>;
  why: TiltyardError | undefined;
  #reject: (why: TiltyardError) => void = () => {};

  constructor() {
    this.cancelled = new Promise<never>((_resolve, reject) => {
      this.#reject = reject;
    });
  }

  cancel(why: TiltyardError): void {
    this.why ??= why;
    this.#reject(this.why);
  }
}
