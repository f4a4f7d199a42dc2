import type { Concurrency } from './concurrency.ts';

/** Work that is done side by side. */
export interface Pool<Job> {
  readonly jobs: AsyncIterable<Job>;
  readonly concurrency: Pick<Concurrency, 'limit'>;
  /** No job is begun after it fires; those that run hear of it by themselves. */
  readonly signal: AbortSignal;
  readonly run: (job: Job) => Promise<void>;
}

/** Runs jobs, never more at a time than the limit of the moment. Rejects, once all that runs has ended, with the first thing thrown. */
export async function runPool<Job>({ jobs, concurrency, signal, run }: Pool<Job>): Promise<void> {
  let running = 0;
  let failure: { readonly thrown: unknown } | undefined;
  let wake = () => {};
  const ended = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  const begin = async (job: Job) => {
    running += 1;
    try {
      await run(job);
    } catch (thrown) {
      failure ??= { thrown };
    }
    running -= 1;
    wake();
  };
  for await (const job of jobs) {
    while (running >= Math.max(1, concurrency.limit) && failure === undefined) await ended();
    if (signal.aborted || failure !== undefined) break;
    void begin(job);
  }
  while (running > 0) await ended();
  if (failure !== undefined) throw failure.thrown;
}
