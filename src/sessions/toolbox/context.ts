import type { EpisodeLog, LazyAbort, Log, Secrets, ToolContext } from '../../core/index.ts';
import type { ToolboxRequest } from './call.ts';
import { toolboxLog } from './log.ts';

/** What a tool sees of a call outside an episode; getters, so that a log or a signal is made only when asked for. */
export class ToolboxContext implements ToolContext {
  readonly userId: string | undefined;
  readonly traceId: string | undefined;
  readonly #request: ToolboxRequest;
  readonly #abort: LazyAbort;
  readonly #log: Log;

  constructor(request: ToolboxRequest, abort: LazyAbort, log: Log) {
    this.userId = request.userId;
    this.traceId = request.traceId;
    this.#request = request;
    this.#abort = abort;
    this.#log = log;
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

  get log(): EpisodeLog {
    return toolboxLog(this.#log, this.#request);
  }
}
