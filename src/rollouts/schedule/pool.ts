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
  const running = new Set<Promise<void>>();
  let failure: { readonly thrown: unknown } | undefined;
  const begin = (job: Job) => {
    const ended: Promise<void> = run(job)
      .catch((thrown: unknown) => {
        failure ??= { thrown };
      })
      .finally(() => running.delete(ended));
    running.add(ended);
  };
  for await (const job of jobs) {
    while (running.size >= Math.max(1, concurrency.limit) && failure === undefined) await Promise.race(running);
    if (signal.aborted || failure !== undefined) break;
    begin(job);
  }
  await Promise.all(running);
  if (failure !== undefined) throw failure.thrown;
}
