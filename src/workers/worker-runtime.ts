import type { EpisodeRuntime, EpisodeStart, Manifest, OpenEpisode, TaskPage, TaskQuery } from '../sessions/index.ts';
import type { WorkerPool } from './pool.ts';
import { type EpisodeFacts, WorkerEpisode, type WorkerEpisodeOptions } from './worker-episode.ts';

/** Runs authors' code in the workers of a pool. */
export class WorkerRuntime implements EpisodeRuntime {
  readonly manifest: Manifest;
  readonly #pool: WorkerPool;
  readonly #options: WorkerEpisodeOptions;

  constructor(pool: WorkerPool, options: WorkerEpisodeOptions) {
    this.manifest = pool.contents.manifest ?? { environments: [] };
    this.#pool = pool;
    this.#options = options;
  }

  tasks(query: TaskQuery): Promise<TaskPage> {
    return this.#pool.withAny((worker) => worker.ask<TaskPage>({ ask: 'tasks', query }));
  }

  open(start: EpisodeStart): Promise<OpenEpisode> {
    // A client that begins something can come again; an episode that cannot be built again would be lost.
    const patience = { whileBlocked: start.past !== undefined };
    return this.#pool.withAny(async (worker) => {
      const episode = new WorkerEpisode(worker, start, this.#options);
      try {
        episode.opened(await worker.ask<EpisodeFacts>({ ask: 'open', episode: episode.number, start }));
        return episode;
      } catch (thrown) {
        // It may have been opened, by a worker that only answers too late.
        void episode.close('it could not be opened');
        throw thrown;
      }
    }, patience);
  }
}
