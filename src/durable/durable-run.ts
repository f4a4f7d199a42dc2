import type { Effects } from '../core/index.ts';
import type { RunEnding, RunListener, RunRequest } from '../sessions/index.ts';

/** Whose runs they are. */
export interface RunOwner {
  /** A run has ended: its ending is to be written down, and then told. */
  runEnded(run: DurableRun, ending: RunEnding): void;
}

/** A run of a tool that outlives the process it runs in: if that ends, it is run again where its contract allows it. */
export class DurableRun {
  readonly request: RunRequest;
  /** As it came: the first attempt may change it. */
  readonly input: string;
  readonly effects: Effects;
  readonly listener: RunListener;
  readonly startedAt: number = performance.now();
  readonly #owner: RunOwner;
  attempt: number;
  /** Arriving: something comes before it may run. Waiting: for a process. Ended: what it ended with is being written. */
  phase: 'arriving' | 'waiting' | 'running' | 'ended' = 'arriving';
  /** Whether it is in the journal that it begins. */
  hasBegun = false;
  /** Whether its client has given it up. */
  isAborted = false;
  #isAccepted = false;
  #isRunning = false;

  constructor(owner: RunOwner, request: RunRequest, effects: Effects, listener: RunListener) {
    this.#owner = owner;
    this.request = request;
    this.input = JSON.stringify(request.input);
    this.effects = effects;
    this.listener = listener;
    this.attempt = request.attempt;
  }

  /** What is given to a process: a new one for each attempt, so that nothing is heard of one that was lost. */
  toAttempt(): { readonly request: RunRequest; readonly listener: RunListener } {
    this.phase = 'running';
    const { attempt } = this;
    const input = attempt === 1 ? this.request.input : JSON.parse(this.input);
    const isStale = () => this.attempt !== attempt || this.phase === 'ended';
    return {
      request: { ...this.request, attempt, input },
      listener: {
        accepted: () => void (isStale() || this.#accepted()),
        running: () => void (isStale() || this.#running()),
        ended: (ending) => {
          if (isStale()) return;
          this.phase = 'ended';
          this.#owner.runEnded(this, ending);
        },
      },
    };
  }

  /** Its process is gone: nothing is heard of this attempt any more. */
  lose(): void {
    this.phase = 'arriving';
    this.attempt += 1;
  }

  /** Tells its client the id under which it can come back. */
  announce(): void {
    if (this.#isAccepted) return;
    this.#isAccepted = true;
    this.listener.accepted();
  }

  /** Most tools end at once: only of one that does not, its client hears that it was accepted. */
  #accepted(): void {
    setImmediate(() => {
      if (this.phase !== 'ended') this.announce();
    });
  }

  #running(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.listener.running();
  }
}
