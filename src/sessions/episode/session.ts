import { type Failure, toFailureError, toOutcome } from '../../core/index.ts';
import type { ToolSpec, WireBlock } from '../../protocol/index.ts';
import { type Call, type CallOwner, NOTHING_TO_LEAVE } from '../call.ts';
import { NOT_RUN, type RunEnding, refused } from '../call-ending.ts';
import { type Observer, type SessionFacts, type SetupResult, toEpoch, UNKNOWN_TOOL } from '../events.ts';
import type { Absence, CallListener, CallRequest, LiveSession } from '../host.ts';
import type { Keeping, UnfinishedCall } from '../keeper.ts';
import { checksumOf } from '../kept/checksum.ts';
import type { SessionMemory } from '../memory/session-memory.ts';
import { howItEnded } from '../session-errors.ts';
import { fullOf, mismatchOf, refusalOf, stopsTaking } from './admission.ts';
import type { WhyLost } from './loss.ts';
import type { SessionEnd } from './outcome.ts';
import { repeat, settle, toEnded } from './repeats.ts';
import type { OpenEpisode } from './runtime.ts';
import { SessionCall, SessionCalls } from './session-calls.ts';
import { SessionEnding } from './session-ending.ts';
import { endedEvent, openedEvent, type Told } from './session-events.ts';
import { SessionPrompts } from './session-prompts.ts';
import { SessionSetup } from './session-setup.ts';
import type { SessionShare, SessionStart } from './session-start.ts';

/**
 * The server's half of an episode: ids, kept results, limits, expiry, outcome. The author's half is behind `OpenEpisode`.
 */
export class Session implements CallOwner {
  readonly facts: SessionFacts;
  readonly memory: SessionMemory;
  readonly keeping: Keeping | undefined;
  readonly ending: SessionEnding;
  /** Also after it was lost: its clients may still ask for what they were told. */
  readonly calls: SessionCalls;
  lastActive: number;
  readonly observer: Observer;
  readonly #episode: OpenEpisode;
  readonly #share: SessionShare;
  readonly #toolNames: ReadonlySet<string>;
  readonly #setup = new SessionSetup();
  readonly #prompts = new SessionPrompts();
  readonly #startedAt: number;
  /** When its episode began, in ms since 1970: perhaps at an earlier server. */
  readonly #createdAt: number;
  readonly #seed: number;
  #closing: Promise<void> | undefined;
  /** Set once it takes no further calls. */
  #draining: Promise<void> | undefined;
  /** The same: called when none of its calls is left. */
  #onDrained: (() => void) | undefined;

  constructor(start: SessionStart, episode: OpenEpisode, share: SessionShare) {
    const { number, sid, identity, choice, trace, memory, keeping, recalled } = start;
    this.#startedAt = performance.now();
    this.#createdAt = recalled?.createdAt ?? toEpoch(this.#startedAt);
    this.lastActive = this.#startedAt;
    this.#episode = episode;
    this.#share = share;
    this.#toolNames = share.toolNames.get(episode.environment) ?? NO_NAMES;
    this.#seed = start.seed;
    this.observer = share.options.observer;
    const [split, index] = 'split' in choice ? [choice.split, choice.index] : [];
    this.memory = memory;
    this.keeping = keeping;
    this.ending = new SessionEnding(keeping);
    this.calls = new SessionCalls({ number, identity, memory }, share.memory.kept, share.options);
    this.facts = { number, sid, identity, environment: episode.environment, split, index };
    this.observer.on({ type: 'session_started', at: toEpoch(this.#startedAt), session: this.facts, trace });
    this.observer.onContent?.(openedEvent(this.#told, start, episode.taskDigest));
    // The same ids give the same results as before.
    if (recalled !== undefined) this.calls.recall(recalled.ended, this.#startedAt);
    episode.begin(
      (failure) => this.#setupEnded(failure === undefined ? 'ready' : 'failed', failure),
      (why) => void this.#lose(why),
    );
    if (recalled !== undefined) this.#repeatLost(recalled.unfinished);
  }

  get isClosing(): boolean {
    return this.ending.end !== undefined;
  }

  /** Why nothing more can be asked of it, once it has ended. */
  get absence(): Absence {
    return this.ending.absenceOf(this.facts.sid);
  }

  touch(): void {
    this.lastActive = performance.now();
  }

  /** What it is about, and how far it is. */
  get state(): LiveSession {
    const { environment, split, index } = this.facts;
    return { environment, split, index, seed: this.#seed, isReady: this.#setup.result === 'ready' && !this.isClosing };
  }

  /** Whether nobody has used the session for so long that it may be ended. */
  isIdle(now: number): boolean {
    return !this.#isBusy && now - this.lastActive > this.#share.options.idleMs;
  }

  /** Gives up a setup that takes too long, and notes from time to time that somebody uses it. */
  sweep(now: number): void {
    const { setupMs } = this.#share.options;
    this.keeping?.touch(toEpoch(this.lastActive));
    if (this.#setup.result === undefined && setupMs > 0 && now - this.#startedAt > setupMs)
      this.#episode.giveUpSetup(setupMs);
  }

  /** The prompt of this episode. */
  async prompt(): Promise<WireBlock[]> {
    await this.#whenReady();
    try {
      const blocks = await this.#prompts.read(this.#episode);
      const at = toEpoch(performance.now());
      this.observer.onContent?.({ type: 'prompt_told', at, session: this.facts, blocks });
      return blocks;
    } finally {
      // The idle clock starts when the answer is there, not when the question came.
      this.touch();
      this.#tellIfDrained();
    }
  }

  /** The tools of this episode: the shared ones and those of its task. */
  async tools(): Promise<readonly ToolSpec[]> {
    await this.#whenReady();
    return this.#episode.tools();
  }

  /** Starts a call, or finds the one that has this id already; the returned function says that the client has left. */
  call(request: CallRequest, on: CallListener): () => void {
    const now = performance.now();
    this.lastActive = now;
    const { environment, taskId } = request;
    const mismatch = environment === this.facts.environment ? undefined : mismatchOf(this.facts, environment);
    if (mismatch === undefined && taskId !== undefined) {
      const repeated = this.#repeat(taskId, request, on);
      if (repeated !== undefined) return repeated;
    }
    const refusal = mismatch ?? this.#refusal(request);
    if (refusal !== undefined) return settle(on, taskId ?? '', toEnded(refusal));
    const call = this.#start(request, on, now);
    return call.phase === 'settled' ? NOTHING_TO_LEAVE : this.#follow(call, request);
  }

  /** Goes on with a call that has not ended at once; most have. */
  #follow(call: SessionCall, request: CallRequest): () => void {
    this.calls.enter(call);
    call.pend();
    return request.leaveAborts === true ? () => this.#abort(call) : () => call.detach();
  }

  /** Aborts a running call, by its id. */
  abort(taskId: string): void {
    const call = this.calls.running.find(({ facts }) => facts.id === taskId);
    if (call !== undefined) this.#abort(call);
  }

  #abort(call: SessionCall): void {
    if (call.phase === 'settled') return;
    // One that had begun at an earlier server may have run there.
    const hasBegun = call.request.attempt !== undefined;
    if (this.#setup.result === undefined && !hasBegun) call.ended(NOT_RUN);
    else this.#episode.abort(call.facts.number, 'its client has cancelled the call');
  }

  callEnded(call: Call, ending: RunEnding): void {
    const now = performance.now();
    this.lastActive = now;
    const durationMs = now - call.startedAt;
    this.calls.leave(call as SessionCall, ending, now);
    const outcome = call.settle(ending, durationMs, now);
    this.observer.onContent?.({ type: 'call_told', at: toEpoch(now), call: call.facts, ending, durationMs });
    // Calls that the end of the session cuts off do not say why it ended.
    if (!this.isClosing) this.calls.lastOutcome = outcome;
    if (this.#onDrained !== undefined) this.#tellIfDrained();
  }

  /** Takes no further calls; resolves when those that it has taken have ended. For good: it is ended or let go after that. */
  drain(): Promise<void> {
    this.#draining ??= new Promise<void>((resolve) => {
      this.#onDrained = resolve;
    });
    this.#tellIfDrained();
    return this.#draining;
  }

  /** Ends the episode: aborts what runs, then tears down. Once, however often it is asked. */
  close(end: SessionEnd): Promise<void> {
    this.#closing ??= this.#close(end);
    return this.#closing;
  }

  /** Ends it only here, because another server has it, or gets it: nobody is told that it has ended, unless it was ending already. */
  leave(): Promise<void> {
    if (this.#closing === undefined) this.ending.isElsewhere = true;
    return this.close('stopped');
  }

  /** Runs calls again that were lost with their server, and may be; whoever asks for them finds them under their ids. */
  #repeatLost(unfinished: readonly UnfinishedCall[]): void {
    for (const { id, tool, input, attempt } of unfinished) {
      const request = { name: tool, input, taskId: id, attempt: attempt + 1 };
      // Not refused, whatever the server lacks at the moment: who asks for it then would begin it as if for the first time.
      const call = this.#start(request, () => {}, this.#startedAt);
      if (call.phase !== 'settled') this.#follow(call, request);
    }
  }

  async #lose(why: WhyLost): Promise<void> {
    const written = this.ending.lose(why);
    if (written !== undefined) await written;
    this.#share.endLost(this.facts);
  }

  /** Tells those who wait, also where there was nothing to set up: an episode in another process takes a moment to begin. */
  #setupEnded(result: SetupResult, failure: Failure | undefined): void {
    if (this.#setup.result !== undefined) return;
    const now = performance.now();
    this.lastActive = now;
    if (this.#episode.needsSetup) {
      const [at, durationMs] = [toEpoch(now), now - this.#startedAt];
      this.observer.on({ type: 'setup_ended', at, session: this.facts, result, durationMs });
    }
    this.#setup.end(result, failure);
    this.#tellIfDrained();
  }

  get #isBusy(): boolean {
    return this.calls.runningCount > 0 || this.#prompts.runningCount > 0 || this.#setup.waitingCount > 0;
  }

  #tellIfDrained(): void {
    if (this.#onDrained !== undefined && !this.#isBusy) this.#onDrained();
  }

  /** Why no new call is taken, whatever it asks for. */
  #refusal({ bytes = 0 }: CallRequest): Failure | undefined {
    const { memory, keeper } = this.#share;
    // The session is still there, and so are the results of its running calls.
    if (this.#onDrained !== undefined) return stopsTaking(this.facts.sid);
    const strained = memory.isStrained ? memory.refusal(this.facts.identity, 1) : undefined;
    const full = this.calls.runningCount === 0 ? undefined : this.#full(bytes);
    return keeper?.refusal ?? strained ?? full;
  }

  #full(bytes: number): Failure | undefined {
    const { runningCount: calls, inputBytes } = this.calls;
    return refusalOf({ sid: this.facts.sid, calls, inputBytes }, bytes, this.#share.options);
  }

  /** Answers a call whose id is known; undefined if it is a new one. */
  #repeat(taskId: string, request: CallRequest, on: CallListener): (() => void) | undefined {
    const now = this.lastActive;
    const known = this.calls.known(taskId, now, request.isServersId);
    if (known === undefined) return undefined;
    const session = { facts: this.facts, calls: this.calls, options: this.#share.options };
    const tool = this.#toolNames.has(request.name) ? request.name : UNKNOWN_TOOL;
    return repeat(session, known, { request, tool, now }, on);
  }

  #start(request: CallRequest, on: CallListener, now: number): SessionCall {
    const { name, input, taskId, mcpId } = request;
    const { ids } = this.#share.memory.kept;
    const number = ids.next();
    const id = taskId ?? ids.toId(number);
    const tool = this.#toolNames.has(name) ? name : UNKNOWN_TOOL;
    const facts = { number, id, tool, identity: this.facts.identity, session: this.facts, traceId: undefined, mcpId };
    const call = new SessionCall(this, facts, now, on);
    call.request = request;
    // Now, since defaults are written into the input.
    call.checksum = checksumOf(name, input);
    this.calls.count += 1;
    call.arrived(request.trace);
    this.observer.onContent?.({ type: 'call_asked', at: toEpoch(now), call: facts, tool: name, input });
    if (this.#setup.result === undefined) this.#wait(call, request);
    else this.#run(call, request);
    return call;
  }

  /** Lets a call wait for setup; after a while its client is told under which id it can come back. */
  #wait(call: SessionCall, request: CallRequest): void {
    const timer = setTimeout(() => call.announce(), this.#share.options.announceAfterMs).unref();
    this.#setup.onEnd(() => {
      clearTimeout(timer);
      if (call.phase !== 'settled') this.#run(call, request);
    });
  }

  #run(call: SessionCall, { name, input, bytes, taskId, attempt = 1, keepRefusal }: CallRequest): void {
    const problem = this.#setup.result === 'ready' && !this.isClosing ? undefined : this.#problem;
    if (problem !== undefined) return call.ended(refused(problem));
    const { number, id } = call.facts;
    const isIdKnown = taskId !== undefined || call.announced;
    const run = { call: number, id, attempt, isIdKnown, takesRefusalLate: keepRefusal, name, input, bytes };
    this.#episode.run(run, call);
  }

  async #whenReady(): Promise<void> {
    if (this.#setup.result === undefined) {
      const full = fullOf(this.facts.sid, this.#setup.waitingCount, this.#share.options);
      if (full !== undefined) throw toFailureError(full);
      await new Promise<void>((resolve) => this.#setup.onEnd(resolve));
    }
    const problem = this.#problem;
    if (problem !== undefined) throw toFailureError(problem);
  }

  get #problem(): Failure | undefined {
    return this.isClosing ? this.absence : this.#setup.failure;
  }

  async #close(end: SessionEnd): Promise<void> {
    const { ending, calls, observer } = this;
    // Before a prompt that is cut off now. It may have been lost a moment ago, and that is still being written down.
    const broken = this.#setup.result === 'failed' || this.#prompts.hasFailed || ending.lost !== undefined;
    ending.end = end;
    const noted = ending.note(end);
    const closed = this.#episode.close(`the session ${howItEnded(end)}`);
    this.#setupEnded('cancelled', undefined);
    const { absence } = this;
    const cutOff = ending.isSuspended
      ? refused(absence)
      : ({ kind: 'failed', outcome: toOutcome(absence), failure: absence } as const);
    for (const call of calls.running) call.ended(cutOff);
    const [isNoted] = await Promise.all([noted, closed]);
    if (!isNoted) ending.isElsewhere = true;
    if (end !== 'lost') calls.clear();
    const told = ending.isSuspended
      ? ({ type: 'session_suspended', at: toEpoch(performance.now()), session: this.facts } as const)
      : endedEvent(this.#told, { end, lost: ending.lost, broken, calls });
    observer.on(told);
  }

  get #told(): Told {
    return { session: this.facts, createdAt: this.#createdAt };
  }
}

const NO_NAMES: ReadonlySet<string> = new Set();
