import { type EnvironmentError, LazyAbort, TiltyardError } from '../core/index.ts';
import { SERVER_TASK_ID, sessionEnded, type ToolSpec, type WireBlock } from '../protocol/index.ts';
import { Call, type CallOutcome } from './call.ts';
import { Calls } from './calls.ts';
import { endsWithin, type Stopping } from './deaf.ts';
import { Episode, type EpisodeStart } from './episode.ts';
import type { SessionOptions } from './options.ts';
import { type CallRequest, Runner } from './runner.ts';
import { settlesWithin } from './time-limit.ts';

/** One episode on the server, from its creation to its teardown: all that is known of it is in here. */
export class Session {
  lastActive: number = performance.now();
  readonly #episode: Episode;
  readonly #options: SessionOptions;
  readonly #newTaskId: () => string;
  readonly #calls: Calls<Call>;
  readonly #runner: Runner;
  readonly #abort = new LazyAbort();
  #phase: 'setting_up' | 'ready' | 'failed' | 'closing' = 'setting_up';
  #setupError: EnvironmentError | undefined;
  #settingUp: Promise<void> | undefined;
  /** Those who wait for the end of setup, in the order they came. */
  #waiting: (() => void)[] = [];
  #prompt: Promise<WireBlock[]> | undefined;
  #closing: Promise<void> | undefined;
  /** Set while the server stops: called when the last call has ended. */
  #onQuiet: (() => void) | undefined;

  constructor(start: EpisodeStart, options: SessionOptions, newTaskId: () => string) {
    this.#episode = new Episode(start, options.log);
    this.#options = options;
    this.#newTaskId = newTaskId;
    this.#calls = new Calls(options, isServerMade);
    this.#runner = new Runner(this.#episode, (call, outcome) => this.#settle(call, outcome), options);
    if (this.#episode.needsSetup) this.#settingUp = this.#setUp();
    else this.#phase = 'ready';
  }

  get environmentName(): string {
    return this.#episode.environment.name;
  }

  get isClosing(): boolean {
    return this.#phase === 'closing';
  }

  touch(): void {
    this.lastActive = performance.now();
  }

  /** Whether nobody has used the session for so long that it may be ended. */
  isIdle(now: number): boolean {
    return !this.#isBusy && now - this.lastActive > this.#options.idleMs;
  }

  /** Frees the results that are no longer kept. */
  sweep(now: number): void {
    this.#calls.sweep(now);
  }

  /** The prompt; the author's code runs once, and again only if it failed. */
  async prompt(): Promise<WireBlock[]> {
    await this.#whenReady();
    this.#prompt ??= this.#episode.readPrompt().catch((error) => {
      this.#prompt = undefined;
      throw error;
    });
    return this.#prompt;
  }

  /** The tools of this episode: the shared ones and those of its task. */
  async tools(): Promise<readonly ToolSpec[]> {
    await this.#whenReady();
    return this.#episode.tools;
  }

  /** Starts a call, or finds the one that has this id already. */
  call(request: CallRequest): Call {
    const { taskId } = request;
    if (taskId !== undefined) {
      const known = this.#calls.find(taskId, performance.now());
      if (known !== undefined) return known;
      if (!this.#mayStart(taskId)) return unknownCall(taskId);
    }
    const call = new Call(taskId ?? this.#newTaskId());
    const refusal = this.#refusal();
    if (refusal !== undefined) {
      // Not kept: nothing ran, and the id is free for another attempt.
      call.settle({ kind: 'refused', error: refusal });
      return call;
    }
    if (this.#phase === 'setting_up') this.#waiting.push(() => this.#admit(call, request));
    else this.#admit(call, request);
    // Most calls have ended by now, and are kept among the ended ones.
    if (call.phase !== 'settled') this.#calls.add(call);
    return call;
  }

  /** Forgets a refused call that no client was told about, so that its id can be used again. */
  forget(call: Call): void {
    this.#calls.drop(call);
  }

  /** Takes no further calls; resolves when those that it has taken have ended. */
  async drain(): Promise<void> {
    if (!this.#isBusy) return;
    await new Promise<void>((resolve) => {
      this.#onQuiet = resolve;
    });
  }

  /** Ends the episode: aborts what runs, then tears down. Once, however often it is asked. */
  close(reason: string): Promise<void> {
    this.#closing ??= this.#close(reason);
    return this.#closing;
  }

  async #setUp(): Promise<void> {
    try {
      await this.#episode.setUp(this.#abort.signal);
      if (!this.isClosing) this.#phase = 'ready';
    } catch (thrown) {
      this.#setupError = thrown as EnvironmentError;
      if (!this.isClosing) this.#phase = 'failed';
    }
    this.#wakeAll();
  }

  #wakeAll(): void {
    this.touch();
    for (const wake of this.#waiting.splice(0)) wake();
    this.#tellIfQuiet();
  }

  get #isBusy(): boolean {
    return this.#calls.runningCount > 0 || this.#waiting.length > 0;
  }

  #tellIfQuiet(): void {
    if (this.#onQuiet !== undefined && !this.#isBusy) this.#onQuiet();
  }

  /** Why no further call is taken, whatever it asks for. */
  #refusal(): TiltyardError | undefined {
    const { maxCallsInFlight, maxCallsQueued } = this.#options;
    const max = maxCallsInFlight + maxCallsQueued;
    if (this.#calls.runningCount >= max)
      return new TiltyardError(
        'too_many_calls',
        `session '${this.#episode.sid}' has all the calls it can take (${max}). Wait for one to end, and try again`,
      );
    return this.#onQuiet === undefined ? undefined : sessionGone(this.#episode.sid, 'the server is stopping');
  }

  async #whenReady(): Promise<void> {
    if (this.#phase === 'setting_up') await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const problem = this.#problem();
    if (problem !== undefined) throw problem;
  }

  #problem(): TiltyardError | undefined {
    return this.isClosing ? sessionGone(this.#episode.sid) : this.#setupError;
  }

  #mayStart(taskId: string): boolean {
    return this.#options.clientTaskIds === 'start' && !isServerMade(taskId) && !this.#calls.hasSeen(taskId);
  }

  #admit(call: Call, request: CallRequest): void {
    const problem = this.#problem();
    if (problem === undefined) this.#runner.admit(call, request);
    else if (call.phase !== 'settled') this.#settle(call, { kind: 'refused', error: problem });
  }

  #settle(call: Call, outcome: CallOutcome): void {
    this.touch();
    call.settle(outcome);
    this.#calls.settled(call, this.lastActive);
    this.#tellIfQuiet();
  }

  async #close(reason: string): Promise<void> {
    this.#phase = 'closing';
    const gone = new Error(reason);
    this.#abort.abort(gone);
    this.#wakeAll();
    for (const call of [...this.#calls.running]) {
      call.abort.abort(gone);
      this.#settle(call, { kind: 'error', error: sessionGone(this.#episode.sid, reason) });
    }
    const { graceMs, teardownMs } = this.#options;
    const { log } = this.#episode;
    await Promise.all(this.#atWork().map((work) => endsWithin(graceMs, work, log)));
    if (!(await settlesWithin(this.#episode.tearDown(), teardownMs)))
      log.warn('teardown takes too long and is left to itself', { limitMs: teardownMs });
    this.#calls.clear();
  }

  #atWork(): readonly Stopping[] {
    const { executing } = this.#runner;
    if (this.#settingUp === undefined) return executing;
    return [...executing, { what: 'setup', ended: this.#settingUp }];
  }
}

/** The error of a session that is no longer there. */
export function sessionGone(sid: string, reason: string = 'it was deleted or has expired'): TiltyardError {
  return new TiltyardError('session_gone', sessionEnded(sid, reason));
}

function isServerMade(taskId: string): boolean {
  return SERVER_TASK_ID.test(taskId);
}

function unknownCall(taskId: string): Call {
  const call = new Call(taskId);
  call.settle({ kind: 'error', error: new TiltyardError('unknown_task_id', 'unknown task_id') });
  return call;
}
