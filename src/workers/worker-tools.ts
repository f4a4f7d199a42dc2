import { type Limits, NumberMap, toFailure } from '../core/index.ts';
import {
  type RunEnding,
  type RunListener,
  refused,
  type Subject,
  settlesWithin,
  type ToolManifest,
  type ToolRun,
  type ToolRuntime,
  type TraceHeaders,
} from '../sessions/index.ts';
import type { WorkerPool } from './pool.ts';
import { SIGN_OF_LIFE_MS, type Worker } from './worker.ts';

/** How runs of tools in workers behave. */
export interface WorkerToolOptions extends Pick<Limits, 'graceMs'> {
  /** To which trace an author's code belongs; undefined where nobody traces. */
  readonly traceOf?: ((subject: Subject) => TraceHeaders | undefined) | undefined;
}

/** Runs tools of toolkits in the workers of a pool. */
export class WorkerToolRuntime implements ToolRuntime {
  readonly tools: readonly ToolManifest[];
  readonly #pool: WorkerPool;
  readonly #options: WorkerToolOptions;
  /** Where each call runs that has not ended. */
  readonly #workers = new NumberMap<Worker>();

  constructor(pool: WorkerPool, options: WorkerToolOptions) {
    this.tools = pool.contents.tools;
    this.#pool = pool;
    this.#options = options;
  }

  check(toolId: string, input: unknown): Promise<RunEnding | undefined> {
    return this.#pool.withAny((worker) => worker.ask<RunEnding | undefined>({ ask: 'check', toolId, input }));
  }

  run(run: ToolRun, listener: RunListener): void {
    const worker = this.#pool.find();
    if (worker !== undefined) return this.#runIn(worker, run, listener);
    this.#pool
      .use((next) => this.#runIn(next, run, listener))
      .catch((error) => listener.ended(refused(toFailure(error))));
  }

  async abort(call: number, reason: string): Promise<void> {
    const worker = this.#workers.get(call);
    if (worker === undefined) return;
    const { graceMs } = this.#options;
    const aborted = worker.ask({ ask: 'abort', call, reason });
    // It resolves when the tool has ended, or is not waited for any longer; what ended with its process needs no abort.
    if (await settlesWithin(aborted, graceMs + SIGN_OF_LIFE_MS)) return;
    if (this.#workers.get(call) !== undefined) worker.endIfSilent('a tool', graceMs);
  }

  #runIn(worker: Worker, request: ToolRun, listener: RunListener): void {
    const { call, toolId } = request;
    const { traceOf } = this.#options;
    this.#workers.set(call, worker);
    const run = worker.addRun(toolId, undefined, undefined, {
      accepted: () => listener.accepted(),
      running: () => listener.running(),
      ended: (ending) => {
        this.#workers.delete(call);
        listener.ended(ending);
      },
    });
    const trace = traceOf?.({ call, part: 'tool', tool: toolId, environment: undefined, sid: undefined });
    worker.tell({ kind: 'run_tool', run, request, trace });
  }
}
