import { FewMap } from '../../core/index.ts';
import { NOT_RUN } from '../call-ending.ts';
import type { Run } from './execution.ts';

interface WaitingRun {
  readonly run: Run;
  readonly withdraw: () => void;
}

/** Runs that have not started: their input is being checked, or they wait for their turn or for a place among those in flight. */
export class WaitingRuns {
  /** By the numbers of their calls. */
  readonly #runs = new FewMap<number, WaitingRun>();
  /** How to start those whose turn has come, and that wait for a place. */
  #held: (() => void)[] = [];

  /** Notes a run that does not start at once; `withdraw` takes it from where it waits, with its input. */
  add(run: Run, withdraw: () => void): void {
    this.#runs.set(run.call, { run, withdraw });
  }

  /** Lets a run wait for a place; `leave` frees what it has, should it be withdrawn. */
  hold(run: Run, start: () => void, leave: (() => void) | undefined): void {
    this.#held.push(start);
    this.add(run, () => {
      this.#held = this.#held.filter((each) => each !== start);
      leave?.();
    });
  }

  /** How to start the run that has waited longest for a place. */
  takeHeld(): (() => void) | undefined {
    return this.#held.shift();
  }

  /** Notes that a run goes on; false if it was withdrawn. */
  remove(call: number): boolean {
    return this.#runs.delete(call);
  }

  /** Ends a run before it starts. */
  withdraw(call: number): void {
    const waiting = this.#runs.get(call);
    if (waiting === undefined) return;
    this.#runs.delete(call);
    waiting.run.listener.ended(NOT_RUN);
    waiting.withdraw();
  }
}
