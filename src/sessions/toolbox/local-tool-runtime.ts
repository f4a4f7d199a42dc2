import {
  type Awaitable,
  type CatalogTool,
  type Checked,
  invoke,
  type Log,
  NumberMap,
  type ToolEnding,
  type ToolkitCatalog,
} from '../../core/index.ts';
import { runAuthors, runsPlainly } from '../author-code.ts';
import type { RunListener } from '../call.ts';
import type { RunEnding } from '../call-ending.ts';
import { CallContext } from '../context.ts';
import type { CallSubject, Observer } from '../events.ts';
import { reportOverrun } from '../overrun.ts';
import { crashed, refusedInput } from './tool-ending.ts';
import type { ToolManifest } from './tool-host.ts';
import type { ToolRun, ToolRuntime } from './tool-runtime.ts';
import { ToolWork } from './tool-work.ts';

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
  readonly #running = new NumberMap<Running>();

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
    const work = new ToolWork(run, this.#tools.get(run.toolId) as CatalogTool, listener, this.#options.log);
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
    await reportOverrun(this.#options.graceMs, { ...running.work.stopping, ended: running.ended }, running.work.log);
  }

  #start(work: ToolWork, checked: Checked): void {
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

  #isPlain(work: ToolWork): boolean {
    return runsPlainly(this.#options.observer, work);
  }

  #runAuthors<Value>(work: ToolWork, part: CallSubject['part'], run: () => Value): Value {
    const { call, toolId: tool } = work.run;
    return runAuthors(
      this.#options.observer,
      work,
      () => ({ call, part, tool, environment: undefined, sid: undefined }),
      run,
    );
  }

  #conclude(work: ToolWork, ending: ToolEnding): void {
    work.end(ending);
    if (ending.kind !== 'timed_out') return;
    void reportOverrun(this.#options.graceMs, { ...work.stopping, ended: ending.ended }, work.log);
  }

  #track(work: ToolWork, ended: Promise<unknown>): void {
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
  readonly work: ToolWork;
  readonly ended: Promise<unknown>;
}
