import {
  type Awaitable,
  type CatalogTool,
  type Checked,
  episodeLog,
  invoke,
  LazyAbort,
  type Log,
  type Problem,
  type Secrets,
  type ToolContext,
  type ToolOutcome,
} from '../core/index.ts';
import type { JsonObject } from '../protocol/index.ts';
import { Calls } from './calls.ts';

// Of all callers together, unlike those of a session.
const REMEMBERED_KEYS = 100_000;

/** A call of a tool outside any episode. */
export interface ToolboxRequest {
  readonly tool: CatalogTool;
  /** Taken over by the call. */
  readonly input: JsonObject;
  /** The key under which a repeat finds this call; undefined if there can be no repeat. */
  readonly key: string | undefined;
  readonly secrets: Secrets;
  readonly userId: string | undefined;
  readonly authorization: Readonly<Record<string, string>>;
  readonly traceId: string | undefined;
}

/** How such a call ended: refused before it ran, or run to one of the outcomes of a tool. */
export type ToolboxOutcome =
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] }
  | { readonly kind: 'ran'; readonly outcome: ToolOutcome; readonly durationMs: number };

/** A call that is running or kept for repeats. */
export class ToolboxCall {
  readonly id: string;
  /** What was asked, so that a key is not used for two different things. */
  readonly fingerprint: string;
  readonly abort: LazyAbort = new LazyAbort();
  phase: 'accepted' | 'settled' = 'accepted';
  settledAt = 0;
  outcome: Awaitable<ToolboxOutcome> | undefined;

  constructor(id: string, fingerprint: string) {
    this.id = id;
    this.fingerprint = fingerprint;
  }
}

/** What a key is known for. */
export type Known = { readonly kind: 'call'; readonly call: ToolboxCall } | { readonly kind: 'forgotten' } | undefined;

/** Runs tools of toolkits: at most once for each key, and kept for a while for those who ask again. */
export class Toolbox {
  readonly #calls: Calls<ToolboxCall>;
  readonly #running = new Set<ToolboxCall>();
  readonly #log: Log;
  readonly #timer: NodeJS.Timeout;
  #closed = false;

  constructor({ lingerMs, log }: { lingerMs: number; log: Log }) {
    this.#calls = new Calls(lingerMs, REMEMBERED_KEYS);
    this.#log = log;
    this.#timer = setInterval(
      () => this.#calls.sweep(performance.now(), () => false),
      Math.max(10, Math.min(5_000, lingerMs / 4)),
    ).unref();
  }

  /** What is known of a key: a call to attach to, or that its result is gone. */
  known(key: string): Known {
    const call = this.#calls.find(key, performance.now());
    if (call !== undefined) return { kind: 'call', call };
    return this.#calls.hasSeen(key) ? { kind: 'forgotten' } : undefined;
  }

  /** Starts a call. With a key, it can be found again from this moment on. */
  start(request: ToolboxRequest): ToolboxCall {
    const call = new ToolboxCall(request.key ?? '', fingerprintOf(request.tool, request.input));
    if (request.key !== undefined) this.#calls.add(call);
    this.#running.add(call);
    const outcome = this.#run(call, request);
    call.outcome = outcome;
    if (outcome instanceof Promise) void outcome.then((settled) => this.#settle(call, settled));
    else this.#settle(call, outcome);
    return call;
  }

  /** Whether no further call is taken. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Aborts what runs, and takes no more. */
  close(reason: string): void {
    this.#closed = true;
    clearInterval(this.#timer);
    for (const call of this.#running) call.abort.abort(new Error(reason));
    this.#calls.clear();
  }

  #run(call: ToolboxCall, request: ToolboxRequest): Awaitable<ToolboxOutcome> {
    let checking: Awaitable<Checked>;
    try {
      checking = request.tool.tool.prepare(request.input);
    } catch (thrown) {
      return crashed(thrown);
    }
    if (!(checking instanceof Promise)) return this.#invoke(call, request, checking);
    return checking.then((checked) => this.#invoke(call, request, checked), crashed);
  }

  #invoke(call: ToolboxCall, request: ToolboxRequest, checked: Checked): Awaitable<ToolboxOutcome> {
    if (!checked.ok) return { kind: 'refused', problems: checked.problems };
    const { tool, definition } = request.tool;
    const context = new ToolboxContext(request, call.abort, this.#log, definition.id);
    const begin = performance.now();
    const done = (outcome: ToolOutcome): ToolboxOutcome => ({
      kind: 'ran',
      outcome,
      durationMs: performance.now() - begin,
    });
    const outcome = invoke(tool, checked.value, context, call.abort);
    return outcome instanceof Promise ? outcome.then(done) : done(outcome);
  }

  #settle(call: ToolboxCall, outcome: ToolboxOutcome): void {
    this.#running.delete(call);
    call.phase = 'settled';
    if (call.id === '') return;
    // Nothing ran: the key is free for a better input.
    if (outcome.kind === 'refused') this.#calls.drop(call);
    else this.#calls.settled(call, performance.now());
  }
}

/** What is asked of which tool, to tell a repeat from a key that is used twice. */
export function fingerprintOf({ definition }: CatalogTool, input: JsonObject): string {
  return `${definition.id} ${JSON.stringify(input)}`;
}

function crashed(thrown: unknown): ToolboxOutcome {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  return { kind: 'ran', outcome: { kind: 'crashed', error }, durationMs: 0 };
}

/** What a tool sees of a call outside an episode; getters, so that a log or a signal is made only when asked for. */
class ToolboxContext implements ToolContext {
  readonly userId: string | undefined;
  readonly traceId: string | undefined;
  readonly #request: ToolboxRequest;
  readonly #abort: LazyAbort;
  readonly #log: Log;
  readonly #tool: string;

  constructor(request: ToolboxRequest, abort: LazyAbort, log: Log, tool: string) {
    this.userId = request.userId;
    this.traceId = request.traceId;
    this.#request = request;
    this.#abort = abort;
    this.#log = log;
    this.#tool = tool;
  }

  get secrets(): Secrets {
    return this.#request.secrets;
  }

  get authorization(): Readonly<Record<string, string>> {
    return this.#request.authorization;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get log(): ToolContext['log'] {
    const { secrets, authorization, traceId } = this.#request;
    return episodeLog(this.#log, { tool: this.#tool, traceId }, { ...authorization, ...secrets });
  }
}
