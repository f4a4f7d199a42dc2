import type { Effects } from '../core/index.ts';
import type { RunEnding, RunListener, ToolManifest, ToolRun, ToolRuntime } from '../sessions/index.ts';
import { toolOutcomeUnknown } from './end-record.ts';

/** Runs tools of toolkits where processes may end at any time: what may be run again then, is run once more in another process. */
export class SecondChanceTools implements ToolRuntime {
  readonly tools: readonly ToolManifest[];
  readonly #runtime: ToolRuntime;
  readonly #effects: ReadonlyMap<string, Effects>;
  /** The calls that nobody wants any more, and that have not ended. */
  readonly #unwanted = new Set<number>();

  constructor(runtime: ToolRuntime) {
    this.tools = runtime.tools;
    this.#runtime = runtime;
    this.#effects = new Map(runtime.tools.map(({ definition, effects }) => [definition.id, effects]));
  }

  check(toolId: string, input: unknown): Promise<RunEnding | undefined> {
    return this.#runtime.check(toolId, input);
  }

  run(run: ToolRun, listener: RunListener): void {
    const heard: Heard = { isRunning: false };
    this.#attempt(run, listener, heard, (ending) => {
      const isUnwanted = this.#unwanted.delete(run.call);
      const { lostWith } = ending;
      if (lostWith === undefined) return listener.ended(ending);
      if (this.#effects.get(run.toolId) !== 'idempotent')
        return listener.ended(toolOutcomeUnknown(run.toolId, `its process has ended: ${lostWith}`));
      if (isUnwanted) return listener.ended(ending);
      void this.#again(run, listener, heard, ending);
    });
  }

  async abort(call: number, reason: string): Promise<void> {
    this.#unwanted.add(call);
    await this.#runtime.abort(call, reason);
  }

  async #again(run: ToolRun, listener: RunListener, heard: Heard, lost: RunEnding): Promise<void> {
    const attempt = (run.attempt ?? 1) + 1;
    await listener.repeating?.(attempt);
    // In this turn, others do not know yet that the process is gone, and may choose it once more.
    await new Promise(setImmediate);
    if (this.#unwanted.delete(run.call)) return listener.ended(lost);
    this.#attempt({ ...run, attempt }, listener, heard, (last) => {
      this.#unwanted.delete(run.call);
      listener.ended(last);
    });
  }

  #attempt(run: ToolRun, listener: RunListener, heard: Heard, ended: (ending: RunEnding) => void): void {
    this.#runtime.run(run, {
      accepted: () => listener.accepted(),
      running() {
        if (heard.isRunning) return;
        heard.isRunning = true;
        listener.running();
      },
      ended,
    });
  }
}

/** What was told of a run so far. */
interface Heard {
  isRunning: boolean;
}
