import {
  type CatalogTool,
  type CompiledTool,
  type EpisodeLog,
  episodeLog,
  LazyAbort,
  type Log,
  printable,
  redact,
  type Secrets,
  seedOf,
  type ToolEnding,
  toThrown,
} from '../../core/index.ts';
import { type CodeOwner, isEmpty } from '../author-code.ts';
import type { RunListener } from '../call.ts';
import type { RunEnding } from '../call-ending.ts';
import type { ContextPart, ContextSource } from '../context.ts';
import { asAborted, type FailedEnding, toFailedEnding } from '../tool-failure.ts';
import { toCrashedEnding, toReturned } from './tool-ending.ts';
import type { ToolRun } from './tool-runtime.ts';

/** A run in this process: what its tool sees of it, what its log hides, and how its end is told. */
export class ToolWork implements ContextSource, ContextPart, CodeOwner {
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
    return { what: `tool '${this.tool.name}'`, startedAt: this.startedAt };
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
    const { callId, traceId } = this.run;
    const tool = this.#tool.definition.id;
    const fields = { tool, callId: printable(callId), traceId: traceId && printable(traceId) };
    return episodeLog(this.#log, fields, this.hidden);
  }

  /** All that a caller handed over and nobody else may see. The same object each time: what is made to look for it is kept by it. */
  get hidden(): Secrets {
    const { secrets, authorization } = this.run;
    if (isEmpty(secrets) && isEmpty(authorization)) return NOTHING;
    // By numbers: a secret and an authorization may have the same id.
    this.#allHidden ??= Object.fromEntries([...Object.values(secrets), ...Object.values(authorization)].entries());
    return this.#allHidden;
  }

  /** Tells how the tool ended; also its log, unless it returned, which the line of the call tells already. */
  end(ending: ToolEnding): void {
    const written = ending.kind === 'returned' ? toReturned(ending.value, this.tool) : ending;
    this.listener.ended(written.kind === 'returned' ? written : this.#fail(written));
  }

  #fail(ending: Exclude<ToolEnding, { kind: 'returned' }>): RunEnding {
    if (ending.kind === 'crashed') return this.#crash(ending.error);
    const failed = toFailedEnding(ending, this.tool.name, this.log, this.hidden);
    if (ending.kind === 'timed_out')
      return { ...failed, failure: { ...failed.failure, canRetry: this.#tool.canRetry } };
    return this.abort.aborted ? asAborted(failed) : failed;
  }

  #crash(error: Error): FailedEnding {
    const { log, hidden, abort } = this;
    const tool = `tool '${this.tool.name}'`;
    // Nobody waits for an aborted one any more; most tools throw when they hear that.
    if (abort.aborted) log.info(`${tool} was aborted`, { error });
    // The whole of it, because the causes say why; the log takes the secrets out.
    else log.error(`${tool} failed`, { error });
    const thrown = toThrown(error, (text) => redact(text, hidden));
    return toCrashedEnding(abort.aborted ? 'cancelled' : 'env_error', thrown);
  }
}

const NOTHING: Secrets = {};
