import type { EpisodeLog, EpisodeToolContext, LazyAbort, Secrets } from '../core/index.ts';

/** What an author's code may see: of its episode, or of a call outside one. */
export interface ContextSource {
  readonly task?: unknown;
  readonly state?: unknown;
  readonly secrets: Secrets;
  readonly authorization?: Readonly<Record<string, string>> | undefined;
  readonly userId?: string | undefined;
  readonly traceId?: string | undefined;
  readonly log: EpisodeLog;
}

/** What a tool or setup sees; getters, so that a signal or a log is made only for one that asks. */
export class CallContext implements EpisodeToolContext<unknown, unknown> {
  readonly #source: ContextSource;
  readonly #abort: LazyAbort;

  constructor(source: ContextSource, abort: LazyAbort) {
    this.#source = source;
    this.#abort = abort;
  }

  get task(): unknown {
    return this.#source.task;
  }

  get state(): unknown {
    return this.#source.state;
  }

  get secrets(): Secrets {
    return this.#source.secrets;
  }

  get authorization(): Readonly<Record<string, string>> | undefined {
    return this.#source.authorization;
  }

  get userId(): string | undefined {
    return this.#source.userId;
  }

  get traceId(): string | undefined {
    return this.#source.traceId;
  }

  get log(): EpisodeLog {
    return this.#source.log;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }
}
