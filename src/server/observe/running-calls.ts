import type { CallStarted, HostEvent, Observer } from '../../sessions/index.ts';

/** A call whose tool may have been started. */
interface LiveCall {
  readonly started: CallStarted;
  isRunning: boolean;
}

/**
 * The calls that run at this moment, so that one that hangs can be seen before it ends.
 *
 * Most calls end before the next one starts, also those whose tool waits for a promise or two. So the latest one stands
 * beside the map and enters it only when another starts: for most calls this is one field that is written, where the
 * map would take some 100 ns. Who asks walks through all that have not ended; that is seldom, and they are few.
 */
export class RunningCalls implements Observer {
  /** In the order they came. */
  readonly #earlier = new Map<number, LiveCall>();
  #latest: LiveCall | undefined;

  on(event: HostEvent): void {
    if (event.type === 'call_started') {
      if (this.#latest !== undefined) this.#earlier.set(this.#latest.started.call, this.#latest);
      this.#latest = { started: event, isRunning: false };
    } else if (event.type === 'call_running') {
      const call = this.#find(event.call);
      if (call !== undefined) call.isRunning = true;
    } else if (event.type === 'call_ended') {
      if (this.#latest?.started.call === event.call) this.#latest = undefined;
      else this.#earlier.delete(event.call);
    }
  }

  /** Those whose tool was started, in the order they came. */
  *all(): Generator<CallStarted> {
    for (const { started, isRunning } of this.#earlier.values()) if (isRunning) yield started;
    if (this.#latest?.isRunning) yield this.#latest.started;
  }

  #find(call: number): LiveCall | undefined {
    return this.#latest?.started.call === call ? this.#latest : this.#earlier.get(call);
  }
}
