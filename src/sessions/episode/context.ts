import type { EpisodeLog, EpisodeToolContext, LazyAbort, Secrets } from '../../core/index.ts';
import type { Episode } from './episode.ts';

/** What a tool or setup sees of its episode; getters, so that a signal or a log is made only for one that asks. */
export class EpisodeCallContext implements EpisodeToolContext<unknown, unknown> {
  readonly #episode: Episode;
  readonly #abort: LazyAbort;

  constructor(episode: Episode, abort: LazyAbort) {
    this.#episode = episode;
    this.#abort = abort;
  }

  get task(): unknown {
    return this.#episode.task;
  }

  get state(): unknown {
    return this.#episode.state;
  }

  get secrets(): Secrets {
    return this.#episode.secrets;
  }

  get log(): EpisodeLog {
    return this.#episode.log;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }
}
