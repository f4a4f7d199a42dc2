import type { JsonObject } from '../../protocol/index.ts';
import type { JobHead, NewJob } from '../api.ts';
import { Listeners } from '../shared/listeners.ts';
import { conflict, notFound } from '../shared/refusal.ts';
import type { TargetLink } from '../targets/target-link.ts';
import { type JobOptions, JobRun, type JobTeller } from './job-run.ts';
import type { Bench } from './work.ts';

const MOST_JOBS = 100;
const MOST_RUNNING = 2;

/** A report of a measurement that was read from a file. */
export interface BenchReport {
  readonly name: string;
  readonly report: JsonObject;
}

/** All checks and measurements of this launch. */
export class Jobs {
  readonly changes: Listeners = new Listeners();
  readonly #jobs = new Map<string, JobRun>();
  readonly #bench: Bench | undefined;
  #count = 0;

  constructor(bench: Bench | undefined, reports: readonly BenchReport[] = []) {
    this.#bench = bench;
    for (const { name, report } of reports)
      this.#add({ kind: 'bench', target: null, title: name, secrets: {}, run: async () => report });
  }

  start(link: TargetLink, wanted: NewJob): JobRun {
    const running = [...this.#jobs.values()].filter((job) => job.toHead().status === 'running');
    if (running.length >= MOST_RUNNING)
      throw conflict(`${MOST_RUNNING} jobs run already`, 'Wait for one of them, or cancel it.');
    const { secrets } = link;
    const run = (teller: JobTeller) => this.#run(link, wanted, teller);
    return this.#add({ kind: wanted.kind, target: link.id, title: link.options.name, secrets, run });
  }

  get(id: string): JobRun {
    const job = this.#jobs.get(id);
    if (job === undefined) throw notFound('job', id);
    return job;
  }

  find(id: string): JobRun | undefined {
    return this.#jobs.get(id);
  }

  /** The newest first. */
  list(): JobHead[] {
    return [...this.#jobs.values()].map((job) => job.toHead()).reverse();
  }

  async close(): Promise<void> {
    for (const job of this.#jobs.values()) job.cancel();
    await Promise.all([...this.#jobs.values()].map(({ ended }) => ended));
  }

  async #run(link: TargetLink, wanted: NewJob, teller: JobTeller): Promise<JsonObject | null> {
    // Loaded only now: the referee is larger than all the rest.
    const { runBench, runCheck, runLint } = await import('./work.ts');
    if (wanted.kind === 'check') return runCheck(link, wanted, teller);
    if (wanted.kind === 'lint') return runLint(link, wanted, teller);
    if (this.#bench === undefined) throw conflict('this studio cannot measure servers', 'Use tiltyard bench.');
    return runBench(link, wanted, teller, this.#bench);
  }

  #add(options: Omit<JobOptions, 'id'>): JobRun {
    this.#count += 1;
    const job = new JobRun({ ...options, id: `j${this.#count}` });
    this.#jobs.set(`j${this.#count}`, job);
    const [oldest] = this.#jobs;
    if (this.#jobs.size > MOST_JOBS && oldest?.[1].toHead().status !== 'running') this.#jobs.delete(oldest?.[0] ?? '');
    job.changes.add(() => this.changes.tell());
    this.changes.tell();
    return job;
  }
}
