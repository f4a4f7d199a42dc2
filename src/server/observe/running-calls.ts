import type { ObservedCall, ObservedSession, Observer } from '../../sessions/index.ts';

/** A call with its session, if it has one. */
export type RunningCall = readonly [call: ObservedCall, session: ObservedSession | undefined];

/**
 * The calls that run at this moment, so that one that hangs can be seen before it ends.
 *
 * Most calls end before the next one starts, also those whose tool waits for a promise or two. So the latest one stands
 * beside the map and enters it only when another starts: for most calls this is two fields that are written, where the
 * map would take some 100 ns. Who asks walks through all that have not ended; that is seldom, and they are few.
 */
export class RunningCalls implements Partial<Observer> {
  /** In the order they came. */
  readonly #earlier = new Map<ObservedCall, ObservedSession | undefined>();
  #latest: ObservedCall | undefined;
  #sessionOfLatest: ObservedSession | undefined;

  callStarted(call: ObservedCall, session: ObservedSession | undefined): void {
    if (this.#latest !== undefined) this.#earlier.set(this.#latest, this.#sessionOfLatest);
    this.#latest = call;
    this.#sessionOfLatest = session;
  }

  callEnded(call: ObservedCall): void {
    if (call !== this.#latest) {
      this.#earlier.delete(call);
      return;
    }
    this.#latest = undefined;
    this.#sessionOfLatest = undefined;
  }

  /** Those whose tool was started, in the order they came. */
  *all(): Generator<RunningCall> {
    for (const entry of this.#earlier) if (entry[0].hasRun) yield entry;
    if (this.#latest?.hasRun) yield [this.#latest, this.#sessionOfLatest];
  }
}
