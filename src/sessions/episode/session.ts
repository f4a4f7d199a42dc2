import { type EnvironmentError, type Outcome, TiltyardError } from '../../core/index.ts';
import { SERVER_TASK_ID, type ToolSpec, type WireBlock } from '../../protocol/index.ts';
import { Calls, type Keep } from '../kept/kept-calls.ts';
import { MAX_RECENT_CHARACTERS, type RecentResults } from '../kept/recent-results.ts';
import type { TaskIds } from '../kept/task-id.ts';
import { type ObservedSession, UNKNOWN_TOOL } from '../observer.ts';
import type { SessionOptions } from '../options.ts';
import { endsWithin, type Stopping } from '../overrun.ts';
import { howItEnded, sessionGone } from '../session-errors.ts';
import { settlesWithin } from '../time-limit.ts';
import { fullOf, refusalOf } from './admission.ts';
import { Call, newCall, settledCall, unknownCall } from './call.ts';
import { type CallEnding, outcomeOf } from './call-ending.ts';
import { Episode, type EpisodeStart } from './episode.ts';
import { type SessionEnd, toEpisodeOutcome } from './outcome.ts';
import { Prompt } from './prompt.ts';
import { type CallRequest, Runner } from './runner.ts';
import { Setup } from './setup.ts';

/** What all sessions of a host share. */
export interface SessionShare {
  readonly options: SessionOptions;
  readonly ids: TaskIds;
  readonly recent: RecentResults;
  readonly keep: Keep;
}

/** One episode on the server, from its creation to its teardown: all that is known of it is in here. */
export class Session implements ObservedSession {
  readonly identity: string;
  readonly startedAt: number = performance.now();
  lastActive: number = this.startedAt;
  callCount = 0;
  /** What ended it, once something has. */
  end: SessionEnd | undefined;
  readonly #episode: Episode;
  readonly #number: number;
  readonly #share: SessionShare;
  readonly #calls: Calls<Call>;
  readonly #runner: Runner;
  #phase: 'setting_up' | 'ready' | 'failed' | 'closing' = 'setting_up';
  #setupError: EnvironmentError | undefined;
  // What only some sessions need, or only for a while, is made when it is needed: an idle session shall be small.
  /** While its code runs, also when it was given up. */
  #setup: Setup | undefined;
  #prompt: Prompt | undefined;
  #lastCall: Outcome | undefined;
  /** Of the calls that have not ended. */
  #inputBytes = 0;
  #closing: Promise<void> | undefined;
  /** Set while the server stops and calls go on: called when the last of them has ended. */
  #onDrained: (() => void) | undefined;

  /** `number` tells it from all other sessions of its host. */
  constructor(number: number, start: EpisodeStart, share: SessionShare, identity = '') {
    const { options } = share;
    this.identity = identity;
    this.#number = number;
    this.#episode = new Episode(start, options.log);
    this.#share = share;
    this.#calls = new Calls(share.keep, isServerMade);
    this.#runner = new Runner(this.#episode, (call, ending) => this.#settle(call, ending), options);
    options.observer.sessionStarted(this, start.trace);
    if (this.#episode.needsSetup) this.#setup = this.#setUp();
    else this.#phase = 'ready';
  }

  get sid(): string {
    return this.#episode.sid;
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
    return !this.#isBusy && now - this.lastActive > this.#share.options.idleMs;
  }

  /** Frees the results that are no longer kept, and gives up a setup that takes too long. */
  sweep(now: number): void {
    this.#calls.sweep(now);
    const { setupMs } = this.#share.options;
    if (this.#phase === 'setting_up' && setupMs > 0 && now - this.startedAt > setupMs) this.#setup?.giveUp(setupMs);
  }

  /** The prompt of this episode. */
  async prompt(): Promise<WireBlock[]> {
    await this.#whenReady();
    this.#prompt ??= new Prompt();
    try {
      return await this.#prompt.read(this.#episode);
    } finally {
      // The idle clock starts when the answer is there, not when the question came.
      this.touch();
      this.#tellIfDrained();
    }
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
      const known = this.#find(taskId, performance.now());
      if (known !== undefined) return known;
      if (!this.#mayStart(taskId)) return unknownCall(taskId);
    }
    const tool = this.#episode.environment.tools.has(request.name) ? request.name : UNKNOWN_TOOL;
    const call = taskId === undefined ? newCall(this.#share.ids, tool) : new Call(taskId, tool);
    const { bytes = 0 } = request;
    const refusal = this.#refusal(bytes);
    if (refusal !== undefined) {
      // Not kept: nothing ran, and the id is free for another attempt.
      call.settle({ kind: 'refused', error: refusal });
      return call;
    }
    this.callCount += 1;
    this.#share.options.observer.callStarted(call, this, request.trace);
    if (this.#runningSetup === undefined) this.#admit(call, request);
    else this.#runningSetup.wait(() => this.#admit(call, request));
    // Most calls have ended by now, and are kept among the ended ones.
    if (call.phase !== 'settled') {
      call.inputBytes = bytes;
      this.#inputBytes += bytes;
      this.#calls.add(call);
    }
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
      this.#onDrained = resolve;
    });
  }

  /** Ends the episode: aborts what runs, then tears down. Once, however often it is asked. */
  close(end: SessionEnd): Promise<void> {
    this.#closing ??= this.#close(end);
    return this.#closing;
  }

  #setUp(): Setup {
    const setup = new Setup(this, this.#episode, {
      options: this.#share.options,
      onEnd: (error) => this.#setupEnded(error),
      onWoken: () => this.#tellIfDrained(),
    });
    void setup.ended.then(() => {
      this.#setup = undefined;
    });
    return setup;
  }

  #setupEnded(error: EnvironmentError | undefined): void {
    this.#setupError = error;
    if (!this.isClosing) this.#phase = error === undefined ? 'ready' : 'failed';
    this.touch();
  }

  /** The setup that others wait for: one that was given up may still run. */
  get #runningSetup(): Setup | undefined {
    return this.#phase === 'setting_up' ? this.#setup : undefined;
  }

  get #isBusy(): boolean {
    const isAwaited = this.#setup !== undefined && this.#setup.waitingCount > 0;
    return this.#calls.runningCount > 0 || isAwaited || this.#prompt?.running !== undefined;
  }

  #tellIfDrained(): void {
    if (this.#onDrained !== undefined && !this.#isBusy) this.#onDrained();
  }

  /** Why no further call is taken, whatever it asks for. */
  #refusal(bytes: number): TiltyardError | undefined {
    // The session is still there, and so are the results of its running calls.
    if (this.#onDrained !== undefined)
      return new TiltyardError('shutting_down', `the server is stopping, and session '${this.sid}' takes no new calls`);
    const load = { sid: this.sid, calls: this.#calls.runningCount, inputBytes: this.#inputBytes };
    return refusalOf(load, bytes, this.#share.options);
  }

  async #whenReady(): Promise<void> {
    const setup = this.#runningSetup;
    if (setup !== undefined) {
      const full = fullOf(this.sid, setup.waitingCount, this.#share.options);
      if (full !== undefined) throw full;
      await new Promise<void>((resolve) => setup.wait(resolve));
    }
    const problem = this.#problem();
    if (problem !== undefined) throw problem;
  }

  #problem(): TiltyardError | undefined {
    return this.end === undefined ? this.#setupError : sessionGone(this.sid, this.end);
  }

  #find(taskId: string, now: number): Call | undefined {
    const json = this.#share.recent.find(taskId, this.#number, now);
    return json === undefined
      ? this.#calls.find(taskId, now)
      : settledCall(taskId, { kind: 'result', json, outcome: 'scored' });
  }

  #mayStart(taskId: string): boolean {
    return this.#share.options.clientTaskIds === 'start' && !isServerMade(taskId) && !this.#calls.hasSeen(taskId);
  }

  #admit(call: Call, request: CallRequest): void {
    const problem = this.#problem();
    if (problem === undefined) this.#runner.admit(call, request);
    else if (call.phase !== 'settled') this.#settle(call, { kind: 'refused', error: problem });
  }

  #settle(call: Call, ending: CallEnding): void {
    this.touch();
    if (!call.settle(ending)) return;
    call.settledAt = this.lastActive;
    const wasRunning = this.#calls.endRunning(call);
    if (wasRunning) this.#inputBytes -= call.inputBytes;
    const isKept = !wasRunning && this.#keepAsRecent(call, ending);
    if (!isKept) this.#calls.settled(call, this.lastActive);
    const outcome = outcomeOf(ending);
    // Calls that the end of the session cuts off do not say why it ended.
    if (!this.isClosing) this.#lastCall = outcome;
    this.#share.options.observer.callEnded(call, outcome, this);
    this.#tellIfDrained();
  }

  /** Keeps the result of a call that ended at once among the recent ones, if it is small and its id is the server's. */
  #keepAsRecent({ number }: Call, ending: CallEnding): boolean {
    if (number === undefined || ending.kind !== 'result' || ending.outcome !== 'scored') return false;
    const { json } = ending;
    if (json.length > MAX_RECENT_CHARACTERS) return false;
    this.#share.recent.keep({ number, session: this.#number, json }, this.lastActive);
    return true;
  }

  async #close(end: SessionEnd): Promise<void> {
    const broken = this.#phase === 'failed' || this.#prompt?.failed === true;
    this.#phase = 'closing';
    this.end = end;
    const gone = new Error(`the session ${howItEnded(end)}`);
    this.#setup?.cancel(gone);
    for (const call of [...this.#calls.running]) {
      call.abort.abort(gone);
      this.#settle(call, { kind: 'error', error: sessionGone(this.sid, end) });
    }
    const { graceMs, teardownMs } = this.#share.options;
    const { log } = this.#episode;
    await Promise.all([this.#promptEnds(graceMs), ...this.#atWork().map((work) => endsWithin(graceMs, work, log))]);
    if (!(await settlesWithin(this.#episode.tearDown(), teardownMs)))
      log.warn('teardown takes too long and is left to itself', { limitMs: teardownMs });
    this.#calls.clear();
    const { finished } = this.#episode;
    this.#share.options.observer.sessionEnded(
      this,
      toEpisodeOutcome({ end, finished, broken, lastCall: this.#lastCall }),
    );
  }

  /** Waits for a prompt that is being made, but not for ever: it has no signal to listen to. */
  async #promptEnds(limitMs: number): Promise<void> {
    const running = this.#prompt?.running;
    if (running !== undefined && !(await settlesWithin(running, limitMs)))
      this.#episode.log.warn('prompt takes too long and is left to itself', { limitMs });
  }

  #atWork(): readonly Stopping[] {
    const { executing } = this.#runner;
    return this.#setup === undefined ? executing : [...executing, this.#setup];
  }
}

function isServerMade(taskId: string): boolean {
  return SERVER_TASK_ID.test(taskId);
}
