import {
  type Awaitable,
  type CatalogTool,
  type Checked,
  invoke,
  type Limits,
  type Log,
  type ToolEnding,
} from '../../core/index.ts';
import { Counts } from '../counts.ts';
import { CallersIds } from '../kept/callers-ids.ts';
import { Calls } from '../kept/kept-calls.ts';
import { type Observer, type TraceHeaders, UNKNOWN_TOOL } from '../observer.ts';
import { endsWithin } from '../overrun.ts';
import { deadline, sweepMsFor } from '../time-limit.ts';
import { type Caller, NO_REPEAT, type RepeatKey, ToolboxCall, type ToolboxRequest } from './call.ts';
import { ToolboxContext } from './context.ts';
import { bytesOf, outcomeOf, type ToolboxEnding, toCrashed, toToolboxEnding, toWritten } from './ending.ts';
import { logEnding, toolboxLog } from './log.ts';

/** What a key is known for: a call to attach to, or that it cannot be used again. */
export type Known =
  | { readonly kind: 'call'; readonly call: ToolboxCall }
  | { readonly kind: 'other' | 'forgotten' }
  | undefined;

/** How a toolbox behaves. */
export interface ToolboxOptions {
  readonly limits: Limits;
  readonly log: Log;
  readonly observer: Observer;
}

/** Runs tools of toolkits: at most once for each key, and kept for a while for those who ask again. */
export class Toolbox {
  readonly #calls: Calls<ToolboxCall>;
  // The requests beside the calls, not in them: what is kept of a call must not hold secrets.
  readonly #running = new Map<ToolboxCall, ToolboxRequest>();
  readonly #callsOf = new Counts();
  readonly #limits: Limits;
  readonly #log: Log;
  readonly #observer: Observer;
  readonly #timer: NodeJS.Timeout;
  #closing: Promise<void> | undefined;
  #onQuiet: (() => void) | undefined;

  constructor({ limits, log, observer }: ToolboxOptions) {
    const { lingerMs, maxToolkitKeptBytes: maxKeptBytes } = limits;
    this.#calls = new Calls({ lingerMs, maxKeptBytes }, () => false, new CallersIds());
    this.#limits = limits;
    this.#log = log;
    this.#observer = observer;
    this.#timer = setInterval(() => this.#calls.sweep(performance.now()), sweepMsFor(lingerMs)).unref();
  }

  /** What is known of a request that may be a repeat. */
  known({ key, fingerprint }: RepeatKey): Known {
    const call = this.#calls.find(key, performance.now());
    if (call === undefined) return this.#calls.hasSeen(key) ? { kind: 'forgotten' } : undefined;
    return call.fingerprint === fingerprint ? { kind: 'call', call } : { kind: 'other' };
  }

  /** Whether a key was used, so that a request with it starts no call. */
  hasSeen(key: string): boolean {
    return this.#calls.find(key, performance.now()) !== undefined || this.#calls.hasSeen(key);
  }

  /** Starts a call. With a key, it can be found again from this moment on. */
  start(request: ToolboxRequest): ToolboxCall {
    const call = new ToolboxCall(request.repeat ?? NO_REPEAT, request, request.tool.definition.id);
    this.#observer.callStarted(call, undefined, request.trace);
    if (request.repeat !== undefined) this.#calls.add(call);
    this.#running.set(call, request);
    if (request.identity !== '') this.#callsOf.add(request.identity);
    const ending = this.#run(call, request);
    if (ending instanceof Promise) {
      call.wait(ending);
      void ending.then((ended) => this.#settle(call, request, ended));
    } else this.#settle(call, request, ending);
    return call;
  }

  /** Notes a call that was refused before it could start; `tool` is undefined where its id names none. */
  refuse(caller: Caller, tool: CatalogTool | undefined, trace: TraceHeaders | undefined): void {
    const call = new ToolboxCall(NO_REPEAT, caller, tool?.definition.id ?? UNKNOWN_TOOL);
    call.settledAt = call.startedAt;
    this.#observer.callStarted(call, undefined, trace);
    this.#observer.callEnded(call, 'tool_error', undefined);
  }

  /** Whether no further call is taken. */
  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /** Why no further call of this identity is taken until one has ended; undefined if one is. */
  fullFor(identity: string): string | undefined {
    const { maxToolkitCalls, maxToolkitCallsPerIdentity } = this.#limits;
    if (this.#running.size >= maxToolkitCalls) return 'too many calls are running';
    const isOwnFull = identity !== '' && this.#callsOf.of(identity) >= maxToolkitCallsPerIdentity;
    return isOwnFull ? `too many of your calls are running (${maxToolkitCallsPerIdentity})` : undefined;
  }

  /** Takes no more calls, lets those that run end for a while, then aborts them. Once, however often it is asked. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    clearInterval(this.#timer);
    using timeUp = deadline(this.#limits.drainMs);
    await timeUp.or(this.#whenQuiet());
    const reason = new Error('the server is stopping');
    const stopping = Array.from(this.#running, async ([call, request]) => {
      call.abort.abort(reason);
      await this.#awaitEnd(request, Promise.resolve(call.toolEnded), call.ranAt);
      // A tool that does not listen goes on; its callers cannot wait any longer.
      if (call.phase !== 'settled') this.#settle(call, request, this.#conclude(call, request, toCrashed(reason)));
    });
    await Promise.all(stopping);
    this.#calls.clear();
  }

  async #whenQuiet(): Promise<void> {
    if (this.#running.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#onQuiet = resolve;
    });
  }

  #awaitEnd(request: ToolboxRequest, ended: Promise<unknown>, startedAt: number): Promise<void> {
    const work = { what: `tool '${request.tool.definition.name}'`, startedAt, ended };
    return endsWithin(this.#limits.graceMs, work, toolboxLog(this.#log, request));
  }

  #run(call: ToolboxCall, request: ToolboxRequest): Awaitable<ToolboxEnding> {
    const crash = (thrown: unknown) => this.#conclude(call, request, toCrashed(thrown));
    let checking: Awaitable<Checked>;
    try {
      checking = request.tool.tool.prepare(request.input);
    } catch (thrown) {
      return crash(thrown);
    }
    if (!(checking instanceof Promise)) return this.#invoke(call, request, checking);
    return checking.then((checked) => this.#invoke(call, request, checked), crash);
  }

  #invoke(call: ToolboxCall, request: ToolboxRequest, checked: Checked): Awaitable<ToolboxEnding> {
    if (!checked.ok) return { kind: 'refused', problems: checked.problems };
    call.ranAt = performance.now();
    // The check may have taken long enough for the caller to leave.
    if (call.abort.aborted) return this.#conclude(call, request, toCrashed(call.abort.signal.reason));
    const context = new ToolboxContext(request, call.abort, this.#log);
    const run = () => invoke(request.tool.tool, checked.value, context, call.abort);
    call.hasRun = true;
    this.#observer.callRunning(call);
    const ending = this.#observer.within === undefined ? run() : this.#observer.within(call, run);
    return ending instanceof Promise
      ? ending.then((ended) => this.#conclude(call, request, ended))
      : this.#conclude(call, request, ending);
  }

  #conclude(call: ToolboxCall, request: ToolboxRequest, ending: ToolEnding): ToolboxEnding {
    const durationMs = performance.now() - call.ranAt;
    const written = toWritten(ending, request.tool.tool);
    logEnding(this.#log, request, written, call);
    if (ending.kind === 'timed_out') void this.#awaitEnd(request, ending.ended, call.ranAt);
    return toToolboxEnding(written, request, { durationMs, aborted: call.abort.aborted });
  }

  #settle(call: ToolboxCall, { identity }: ToolboxRequest, ending: ToolboxEnding): void {
    if (!call.settle(ending)) return;
    this.#running.delete(call);
    if (identity !== '') this.#callsOf.remove(identity);
    this.#observer.callEnded(call, outcomeOf(ending), undefined);
    if (call.id !== '') this.#keep(call, ending);
    if (this.#running.size === 0) this.#onQuiet?.();
  }

  #keep(call: ToolboxCall, ending: ToolboxEnding): void {
    // Nothing ran: the key is free for a better input.
    if (ending.kind === 'refused') return this.#calls.drop(call);
    call.bytes = ending.kind === 'returned' ? ending.json.length : bytesOf(ending.failure);
    this.#calls.settled(call, call.settledAt);
  }
}
