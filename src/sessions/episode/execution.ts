import { abortOf, type CompiledTool, type LazyAbort } from '../../core/index.ts';
import type { RunListener } from '../call.ts';
import type { ContextPart } from '../context.ts';
import type { Stopping } from '../overrun.ts';

/** One run of a tool, from its arrival to its end. */
export interface Run extends ContextPart {
  readonly call: number;
  readonly tool: CompiledTool;
  readonly listener: RunListener;
  /** Whether the tool does not run, because only its input is to be checked. */
  readonly isTrial: boolean;
  /** Whether its client has given it up while its tool was at work. */
  isAborted?: boolean;
}

/** A tool at work. Its words are made only for the log. */
export class Execution implements Stopping {
  readonly startedAt: number;
  readonly ended: Promise<unknown>;
  readonly #run: Run;

  constructor(run: Run, ended: Promise<unknown>, startedAt: number) {
    this.#run = run;
    this.ended = ended;
    this.startedAt = startedAt;
  }

  get call(): number {
    return this.#run.call;
  }

  /** Tells the tool that nobody waits for it, although its episode goes on. */
  abortAlone(reason: Error): void {
    this.#run.isAborted = true;
    this.abort.abort(reason);
  }

  get what(): string {
    return `tool '${this.#run.tool.name}'`;
  }

  get abort(): LazyAbort {
    return abortOf(this.#run);
  }
}
