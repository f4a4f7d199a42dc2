import type { Failure } from '../../core/index.ts';
import type { SetupResult } from '../events.ts';

/** What came of the setup of a session, and those who wait for that. */
export class SessionSetup {
  /** Undefined while it goes on. */
  result: SetupResult | undefined;
  failure: Failure | undefined;
  // In the order they came. Only made when somebody waits: an idle session shall be small.
  #waiting: (() => void)[] | undefined;

  get waitingCount(): number {
    return this.#waiting?.length ?? 0;
  }

  /** Calls when it is over. */
  onEnd(wake: () => void): void {
    this.#waiting ??= [];
    this.#waiting.push(wake);
  }

  /** It is over: those who wait go on. */
  end(result: SetupResult, failure: Failure | undefined): void {
    this.result = result;
    this.failure = failure;
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const wake of waiting) wake();
  }
}
