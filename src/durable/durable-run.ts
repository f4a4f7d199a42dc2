import type { Effects } from '../core/index.ts';
import type { OpenEpisode, RunEnding, RunListener, RunRequest } from '../sessions/index.ts';

/** Whose runs they are. */
export interface RunOwner {
  /** A run has ended: its ending is to be written down, and then told. */
  runEnded(run: DurableRun, ending: RunEnding): void;
}

/** One attempt of a run: nothing is heard of one that was lost. */
class Attempt implements RunListener {
  readonly #run: DurableRun;
  readonly #number: number;

  constructor(run: DurableRun, number: number) {
    this.#run = run;
    this.#number = number;
  }

  accepted(): void {
    if (!this.#isStale) this.#run.accepted();
  }

  running(): void {
    if (!this.#isStale) this.#run.running();
  }

  ended(ending: RunEnding): void {
    if (!this.#isStale) this.#run.ended(ending);
  }

  get #isStale(): boolean {
    return this.#run.attempt !== this.#number || this.#run.phase === 'ended';
  }
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
  /** Checking: whether it is refused. Arriving: something comes before it may run. Waiting: for a process. Ended: what it ended with is being written. */
  phase: 'checking' | 'arriving' | 'waiting' | 'running' | 'ended' = 'arriving';
  /** Whether it is in the journal that it begins. */
  hasBegun = false;
  /** Whether its client has given it up. */
  isAborted = false;
  /** Whether it is being given to a process in this moment. */
  #isStarting = false;
  #wasAccepted = false;
  #isAnnounced = false;
  #isRunning = false;

  constructor(owner: RunOwner, request: RunRequest, effects: Effects, listener: RunListener) {
    this.#owner = owner;
    this.request = request;
    this.input = JSON.stringify(request.input);
    this.effects = effects;
    this.listener = listener;
    this.attempt = request.attempt;
  }

  /** Whether a process has ended while it ran there. */
  get wasCutOff(): boolean {
    return this.attempt > this.request.attempt;
  }

  /** Asks a process whether it refuses the call, which ends it; nothing runs. */
  checkIn(episode: OpenEpisode, onPassed: () => void): void {
    this.phase = 'checking';
    const request = { ...this.request, input: JSON.parse(this.input) as object, isTrial: true };
    const ended = (ending: RunEnding) => {
      // Its process was lost meanwhile.
      if (this.phase !== 'checking') return;
      if (ending.kind === 'refused') this.ended(ending);
      else onPassed();
    };
    episode.run(request, { accepted() {}, running() {}, ended });
  }

  /** Gives it to a process. */
  startIn(episode: OpenEpisode): void {
    const { attempt } = this;
    const request =
      attempt === 1 ? this.request : { ...this.request, attempt, input: JSON.parse(this.input) as object };
    this.phase = 'running';
    this.#isStarting = true;
    episode.run(request, new Attempt(this, attempt));
    this.#isStarting = false;
    if (this.#wasAccepted) this.#announceSoon();
  }

  /** It was accepted where it runs. */
  accepted(): void {
    this.#wasAccepted = true;
    if (!this.#isStarting) this.#announceSoon();
  }

  running(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.listener.running();
  }

  ended(ending: RunEnding): void {
    this.phase = 'ended';
    this.#owner.runEnded(this, ending);
  }

  /** Its process is gone: nothing is heard of this attempt any more. */
  lose(): void {
    this.phase = 'arriving';
    this.attempt += 1;
  }

  /** Tells its client the id under which it can come back. */
  announce(): void {
    if (this.#isAnnounced) return;
    this.#isAnnounced = true;
    this.listener.accepted();
  }

  /** Most tools end at once: only of one that does not, its client hears that it was accepted. */
  #announceSoon(): void {
    if (this.phase === 'ended') return;
    setImmediate(() => {
      if (this.phase !== 'ended') this.announce();
    });
  }
}
