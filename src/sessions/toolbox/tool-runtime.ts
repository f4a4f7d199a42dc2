import {
  type Awaitable,
  type CatalogTool,
  type Checked,
  type CompiledTool,
  type EpisodeLog,
  episodeLog,
  invoke,
  isBlock,
  LazyAbort,
  type Log,
  printable,
  redact,
  type Secrets,
  seedOf,
  type ToolEnding,
  type ToolkitCatalog,
  toError,
  toThrown,
} from '../../core/index.ts';
import { mostBytes } from '../../protocol/index.ts';
import { type CodeOwner, isEmpty, runAuthors, runsPlainly } from '../author-code.ts';
import type { RunListener } from '../call.ts';
import { type RunEnding, refused, toCallFailure } from '../call-ending.ts';
import { CallContext, type ContextPart, type ContextSource } from '../context.ts';
import type { CallSubject, Observer } from '../events.ts';
import { endsWithin } from '../overrun.ts';
import type { GivenRequirements } from './requirements.ts';
import type { ToolManifest } from './tool-host.ts';

/** One run of a tool outside any episode. */
export interface ToolRun extends GivenRequirements {
  /** The number of its call. */
  readonly call: number;
  /** Its name in the log, and what its tool sees as `callId`. */
  readonly callId: string;
  /** From 1, which is the default; more when a run before it was lost with its process. */
  readonly attempt?: number | undefined;
  /** The whole id of a tool of the manifest. */
  readonly toolId: string;
  /** Taken over by the run. */
  readonly input: unknown;
  readonly traceId: string | undefined;
}

/** Where the code of toolkits runs: in this process or in another. All data across it. */
export interface ToolRuntime {
  readonly tools: readonly ToolManifest[];
  /** Whether a tool takes an input; the refusal if it does not. */
  check(toolId: string, input: unknown): Promise<RunEnding | undefined>;
  /** Checks an input and runs a tool. */
  run(run: ToolRun, listener: RunListener): void;
  /** Aborts a run; resolves when its tool has ended, or does not listen. */
  abort(call: number, reason: string): Promise<void>;
}

/** What of a server's options concerns the code of toolkits. */
export interface ToolRuntimeOptions {
  readonly graceMs: number;
  readonly log: Log;
  readonly observer: Observer;
}

/** Runs tools of toolkits in this process. */
export class LocalToolRuntime implements ToolRuntime {
  readonly tools: readonly ToolManifest[];
  readonly #tools: ReadonlyMap<string, CatalogTool>;
  readonly #options: ToolRuntimeOptions;
  /** Those that have not ended. */
  readonly #running = new Map<number, Running>();

  constructor({ tools }: ToolkitCatalog, options: ToolRuntimeOptions) {
    this.tools = tools.map(({ definition, requirements, scopes, canRetry, effects, annotations }) => ({
      definition,
      requirements,
      scopes,
      canRetry,
      effects,
      annotations,
    }));
    this.#tools = new Map(tools.map((tool) => [tool.definition.id, tool]));
    this.#options = options;
  }

  async check(toolId: string, input: unknown): Promise<RunEnding | undefined> {
    const checked = await this.#tools.get(toolId)?.tool.prepare(input);
    return checked === undefined || checked.ok ? undefined : refusedInput(checked);
  }

  run(run: ToolRun, listener: RunListener): void {
    const work = new Work(run, this.#tools.get(run.toolId) as CatalogTool, listener, this.#options.log);
    let checking: Awaitable<Checked>;
    try {
      checking = this.#isPlain(work)
        ? work.tool.prepare(run.input)
        : this.#runAuthors(work, 'input', () => work.tool.prepare(run.input));
    } catch (thrown) {
      return work.end(crashed(thrown));
    }
    if (!(checking instanceof Promise)) return this.#start(work, checking);
    const ended = checking.then(
      (checked) => this.#start(work, checked),
      (thrown) => work.end(crashed(thrown)),
    );
    this.#track(work, ended);
  }

  async abort(call: number, reason: string): Promise<void> {
    const running = this.#running.get(call);
    if (running === undefined) return;
    running.work.abort.abort(new Error(reason));
    await endsWithin(this.#options.graceMs, { ...running.work.stopping, ended: running.ended }, running.work.log);
  }

  #start(work: Work, checked: Checked): void {
    if (!checked.ok) return work.listener.ended(refusedInput(checked));
    work.listener.accepted();
    // The check may have taken long enough for the caller to leave.
    if (work.abort.aborted) return work.end(crashed(work.abort.signal.reason));
    work.listener.running();
    work.startedAt = performance.now();
    const context = new CallContext(work, work);
    const ending = this.#isPlain(work)
      ? invoke(work.tool, checked.value, context, work)
      : this.#runAuthors(work, 'tool', () => invoke(work.tool, checked.value, context, work));
    if (ending instanceof Promise)
      this.#track(
        work,
        ending.then((ended) => this.#conclude(work, ended)),
      );
    else work.end(ending);
  }

  #isPlain(work: Work): boolean {
    return runsPlainly(this.#options.observer, work);
  }

  #runAuthors<Value>(work: Work, part: CallSubject['part'], run: () => Value): Value {
    const { call, toolId: tool } = work.run;
    return runAuthors(
      this.#options.observer,
      work,
      () => ({ call, part, tool, environment: undefined, sid: undefined }),
      run,
    );
  }

  #conclude(work: Work, ending: ToolEnding): void {
    work.end(ending);
    if (ending.kind !== 'timed_out') return;
    void endsWithin(this.#options.graceMs, { ...work.stopping, ended: ending.ended }, work.log);
  }

  #track(work: Work, ended: Promise<unknown>): void {
    const { call } = work.run;
    const running = { work, ended };
    this.#running.set(call, running);
    void ended.then(() => {
      // A check that took its time may have been followed by a tool that does.
      if (this.#running.get(call) === running) this.#running.delete(call);
    });
  }
}

interface Running {
  readonly work: Work;
  readonly ended: Promise<unknown>;
}

/** A run in this process; what its tool sees of it, and what its log hides. */
class Work implements ContextSource, ContextPart, CodeOwner {
  readonly run: ToolRun;
  readonly listener: RunListener;
  abort: LazyAbort = new LazyAbort();
  startedAt: number = performance.now();
  readonly #tool: CatalogTool;
  readonly #log: Log;
  #allHidden: Secrets | undefined;

  constructor(run: ToolRun, tool: CatalogTool, listener: RunListener, log: Log) {
    this.run = run;
    this.#tool = tool;
    this.listener = listener;
    this.#log = log;
  }

  get tool(): CompiledTool {
    return this.#tool.tool;
  }

  get stopping(): { what: string; startedAt: number } {
    return { what: `tool '${this.#tool.definition.name}'`, startedAt: this.startedAt };
  }

  get id(): string {
    return this.run.callId;
  }

  get attempt(): number {
    return this.run.attempt ?? 1;
  }

  /** The same for a call that is run again; there is no episode whose seed it could be. */
  get seed(): number {
    return seedOf(this.run.callId);
  }

  get secrets(): Secrets {
    return this.run.secrets;
  }

  get authorization(): Readonly<Record<string, string>> {
    return this.run.authorization;
  }

  get userId(): string | undefined {
    return this.run.userId;
  }

  get traceId(): string | undefined {
    return this.run.traceId;
  }

  /** A log whose lines tell of which call they are. */
  get log(): EpisodeLog {
    return episodeLog(this.#log, this.#fields, this.hidden);
  }

  /** Writes how the tool ended, and tells it. */
  end(ending: ToolEnding): void {
    const written = toWritten(ending, this.tool);
    this.#write(written);
    this.listener.ended(this.#toEnding(written));
  }

  get #fields(): object {
    const { callId, traceId } = this.run;
    return { tool: this.#tool.definition.id, callId: printable(callId), traceId: traceId && printable(traceId) };
  }

  /** All that a caller handed over and nobody else may see. The same object each time: what is made to look for it is kept by it. */
  get hidden(): Secrets {
    const { secrets, authorization } = this.run;
    if (isEmpty(secrets) && isEmpty(authorization)) return NOTHING;
    // By numbers: a secret and an authorization may have the same id.
    this.#allHidden ??= Object.fromEntries([...Object.values(secrets), ...Object.values(authorization)].entries());
    return this.#allHidden;
  }

  #write(ending: WrittenEnding): void {
    // The line of the call tells of these already.
    if (ending.kind === 'returned') return;
    const tool = `tool '${this.#tool.definition.name}'`;
    const { log } = this;
    if (ending.kind === 'timed_out') return log.warn(`${tool} took longer than ${ending.timeoutMs} ms`);
    if (ending.kind === 'failed') return log.info(`${tool} reported a failure`, { error: ending.failure });
    const { error } = ending;
    // Nobody waits for it any more; most tools throw when they hear that.
    if (this.abort.aborted) return log.info(`${tool} was aborted`, { error });
    // The whole of it, because the causes say why; the log takes the secrets out.
    log.error(`${tool} failed`, { error });
  }

  #toEnding(ending: WrittenEnding): RunEnding {
    if (ending.kind === 'returned') return { kind: 'returned', json: ending.value };
    const { name } = this.tool;
    const { hidden } = this;
    const clean = (text: string) => redact(text, hidden);
    switch (ending.kind) {
      case 'timed_out': {
        const message = `took longer than ${ending.timeoutMs} ms`;
        const failure = { code: 'tool_failed', tool: name, message, canRetry: this.#tool.canRetry } as const;
        return { kind: 'failed', outcome: 'timeout', failure };
      }
      case 'failed': {
        const outcome = this.abort.aborted ? 'cancelled' : 'tool_error';
        return { kind: 'failed', outcome, failure: toCallFailure(name, ending.failure, clean) };
      }
      case 'crashed': {
        // Whatever an aborted tool throws, the reason is that nobody waits for it any more.
        const outcome = this.abort.aborted ? 'cancelled' : 'env_error';
        const message = 'The tool failed unexpectedly';
        const thrown = toThrown(ending.error, clean);
        return { kind: 'failed', outcome, failure: { code: 'environment_failed', message, thrown } };
      }
    }
  }
}

const NOTHING: Secrets = {};

type WrittenEnding = Exclude<ToolEnding, { kind: 'returned' }> | { kind: 'returned'; value: string };

/**
 * The same ending with the value as JSON, or a crash if it cannot be written. At once, because what a tool returned
 * may change before it is asked for again.
 */
function toWritten(ending: ToolEnding, { name, maxOutputBytes }: CompiledTool): WrittenEnding {
  if (ending.kind !== 'returned') return ending;
  try {
    const value = JSON.stringify(ending.value ?? null);
    if (value === undefined)
      return crashed(new TypeError(`a tool must return a JSON value, not a ${typeof ending.value}`));
    if (!isLonger(value, maxOutputBytes) || wasCut(ending.value)) return { kind: 'returned', value };
    const problem = `tool '${name}' returned more than ${maxOutputBytes} bytes of JSON. Return less, or raise maxOutputBytes`;
    return crashed(new RangeError(problem));
  } catch (thrown) {
    return crashed(thrown);
  }
}

// Counting bytes costs more than counting characters.
function isLonger(text: string, bytes: number): boolean {
  return mostBytes(text) > bytes && Buffer.byteLength(text) > bytes;
}

// Text and content were cut before, where they were too long; half of any other value would be another value.
function wasCut(value: unknown): boolean {
  return typeof value === 'string' || (Array.isArray(value) && value.every(isBlock));
}

function crashed(thrown: unknown): Extract<ToolEnding, { kind: 'crashed' }> {
  return { kind: 'crashed', error: toError(thrown) };
}

function refusedInput({ problems }: Extract<Checked, { ok: false }>): RunEnding {
  return refused({ code: 'invalid_input', message: 'the tool does not take this input' }, problems);
}
