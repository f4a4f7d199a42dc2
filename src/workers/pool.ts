import { allBlocked, noWorker, WorkerLost } from './errors.ts';
import type { WorkerContents } from './messages.ts';
import { Worker, type WorkerStart } from './worker.ts';
import type { EndKind, WorkerEnd } from './worker-end.ts';

/** What a pool of workers is made from. */
export interface PoolOptions extends WorkerStart {
  /** How many. */
  readonly count: number;
  /** Gives up the start, for which code that loops would keep everybody waiting. */
  readonly signal?: AbortSignal | undefined;
  /** The most time before one that keeps ending is replaced. Default: 30 s. */
  readonly maxPauseMs?: number | undefined;
}

/** For how long somebody waits for a worker. */
export interface Patience {
  /** Whether for as long as a setup may take, if code blocks all of them. */
  readonly whileBlocked?: boolean;
}

const BEAT_MS = 200;
// One that has lived for so long was not broken from the start.
const STABLE_MS = 10_000;
const FIRST_BACKOFF_MS = 250;
const LONGEST_BACKOFF_MS = 30_000;
// Without a worker that answers for so long, somebody is told so, unless one is just starting: on a busy machine that may take longer ...
const PATIENCE_MS = 5_000;
// ... but not this long.
const LONGEST_PATIENCE_MS = 30_000;
const STOP_MS = 1_000;

/** Processes that run authors' code: so many at all times, each replaced when it ends. */
export class WorkerPool {
  readonly contents: WorkerContents;
  readonly #options: PoolOptions;
  readonly #workers = new Set<Worker>();
  readonly #starting = new Set<Worker>();
  readonly #timer: NodeJS.Timeout;
  /** Wakes those who wait for a worker, in the order they came. */
  readonly #waiting = new Set<() => void>();
  readonly #pauses = new Set<() => void>();
  #isClosed = false;
  #lastBeat = performance.now();
  #lastEnd = 'it has not started';
  /** How often a worker has ended by itself, and how. */
  readonly deaths: Map<EndKind, number> = new Map();

  private constructor(options: PoolOptions, workers: readonly Worker[], contents: WorkerContents) {
    this.contents = contents;
    this.#options = options;
    this.#timer = setInterval(() => this.#beat(), BEAT_MS).unref();
    for (const worker of workers) {
      this.#workers.add(worker);
      void this.#keep(worker);
    }
  }

  /** Starts the workers; rejects, and leaves none behind, if one cannot load what it is to run. */
  static async start(options: PoolOptions): Promise<WorkerPool> {
    const { signal } = options;
    signal?.throwIfAborted();
    const workers = Array.from({ length: options.count }, () => new Worker(options));
    const killAll = (why: string) => {
      for (const worker of workers) worker.kill(why, 'not_started');
    };
    const giveUp = () => killAll('its start was given up');
    signal?.addEventListener('abort', giveUp);
    try {
      const [contents] = await Promise.all(workers.map(({ loaded }) => loaded));
      return new WorkerPool(options, workers, contents as WorkerContents);
    } catch (thrown) {
      killAll('another one did not start');
      await Promise.all(workers.map(({ ended }) => ended));
      throw thrown;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  get size(): number {
    return this.#workers.size;
  }

  /** The processes that run at the moment. */
  get pids(): readonly number[] {
    return Array.from(this.#workers, ({ pid }) => pid ?? 0);
  }

  /** The worker that has the least to do, of those that answer if there are any; undefined if none runs. */
  find(): Worker | undefined {
    return this.#findAnswering() ?? leastLoaded(this.#workers, () => true);
  }

  /** Gives `work` one that answers, and waits a while for that. What `work` adds to its load at once, the next one finds there. */
  async use<Value>(work: (worker: Worker) => Value, patience: Patience = {}): Promise<Awaited<Value>> {
    const since = performance.now();
    let worker = this.#findAnswering();
    while (worker === undefined) {
      await this.#untilWoken(since, patience);
      worker = this.#findAnswering();
    }
    return await work(worker);
  }

  /** Does what any worker can do; once more elsewhere if the first one ends or does not answer. */
  async withAny<Value>(work: (worker: Worker) => Promise<Value>, patience: Patience = {}): Promise<Value> {
    try {
      return await this.use(work, patience);
    } catch (thrown) {
      if (!(thrown instanceof WorkerLost) || this.#isClosed) throw thrown;
      return await this.use(work, patience);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const resume of this.#pauses) resume();
    for (const wake of this.#waiting) wake();
    for (const worker of this.#starting) worker.kill('the server is stopping', 'killed');
    await Promise.all(Array.from(this.#workers, (worker) => worker.stop(STOP_MS)));
  }

  #findAnswering(): Worker | undefined {
    const now = performance.now();
    return leastLoaded(this.#workers, (worker) => !worker.isSilent(now));
  }

  /** Follows a worker, and those that come after it. */
  async #keep(first: Worker): Promise<void> {
    const { maxPauseMs = LONGEST_BACKOFF_MS } = this.#options;
    let worker: Worker | undefined = first;
    let failures = 0;
    while (!this.#isClosed) {
      const startedAt = performance.now();
      worker ??= await this.#restart();
      if (worker !== undefined) {
        const end = await worker.ended;
        this.#workers.delete(worker);
        if (this.#isClosed) return;
        this.#noteEnd(worker, end);
      }
      worker = undefined;
      failures = performance.now() - startedAt > STABLE_MS ? 1 : failures + 1;
      if (failures > 1) await this.#pause(Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 2), maxPauseMs));
    }
  }

  #noteEnd({ pid }: Worker, { why, kind }: WorkerEnd): void {
    this.deaths.set(kind, (this.deaths.get(kind) ?? 0) + 1);
    this.#lastEnd = why;
    this.#options.log.error(
      { worker: pid, why, kind },
      `a worker process has ended: ${why}. Episodes that can be built again go on in others; another one takes its place`,
    );
  }

  /** Starts a worker that takes the place of one that has ended; undefined if it cannot. */
  async #restart(): Promise<Worker | undefined> {
    const { log } = this.#options;
    const worker = new Worker(this.#options);
    this.#starting.add(worker);
    try {
      const contents = await worker.loaded;
      if (this.#isClosed) return undefined;
      if (JSON.stringify(contents) !== JSON.stringify(this.contents))
        log.warn(
          { worker: worker.pid },
          'the modules have changed since the server started. Start it again to serve what they have now',
        );
      this.#workers.add(worker);
      log.info({ worker: worker.pid }, 'a worker process has taken the place of one that had ended');
      return worker;
    } catch (thrown) {
      worker.kill('it could not start', 'not_started');
      this.#lastEnd = (thrown as Error).message;
      if (!this.#isClosed) log.error({ error: thrown }, 'a worker process could not start. It is tried again');
      return undefined;
    } finally {
      this.#starting.delete(worker);
      this.#wakeSome();
    }
  }

  /** Resolves when there may be a worker that answers; rejects if there was none for too long. */
  async #untilWoken(since: number, patience: Patience): Promise<void> {
    if (this.#isClosed) throw noWorker('the server is stopping');
    const { promise, resolve } = withResolvers();
    const waitMs = Math.max(since + PATIENCE_MS - performance.now(), BEAT_MS);
    const timer = setTimeout(resolve, waitMs).unref();
    this.#waiting.add(resolve);
    await promise;
    this.#waiting.delete(resolve);
    clearTimeout(timer);
    const waitedMs = performance.now() - since;
    if (this.#findAnswering() !== undefined || waitedMs < this.#patienceMs(patience)) return;
    throw this.#workers.size > 0 ? allBlocked() : noWorker(`the last one ended: ${this.#lastEnd}`);
  }

  #patienceMs({ whileBlocked = false }: Patience): number {
    if (this.#starting.size > 0) return LONGEST_PATIENCE_MS;
    if (this.#workers.size === 0 || !whileBlocked) return PATIENCE_MS;
    return this.#options.plan.limits.setupMs || Number.POSITIVE_INFINITY;
  }

  /** Wakes those who wait for a worker: of several that are starting, each gets its share. */
  #wakeSome(): void {
    if (this.#workers.size === 0) return;
    const share = Math.ceil(this.#waiting.size / (this.#starting.size + 1));
    for (const wake of [...this.#waiting].slice(0, share)) wake();
  }

  async #pause(ms: number): Promise<void> {
    const { promise, resolve } = withResolvers();
    const timer = setTimeout(resolve, ms).unref();
    this.#pauses.add(resolve);
    await promise;
    clearTimeout(timer);
    this.#pauses.delete(resolve);
  }

  #beat(): void {
    const now = performance.now();
    // Timers fire before waiting messages are read: if this process stalled, its workers are not to blame.
    const wasAway = now - this.#lastBeat > 2 * BEAT_MS;
    this.#lastBeat = now;
    for (const worker of this.#workers) {
      if (wasAway) worker.forgive(now);
      worker.beat(now, this.#options.plan.limits.graceMs);
    }
    // One that was blocked may answer again. Those who wait for one that is starting are its share.
    const mayWake = this.#waiting.size > 0 && this.#starting.size === 0;
    if (mayWake && this.#findAnswering() !== undefined) this.#wakeSome();
  }
}

function leastLoaded(workers: Iterable<Worker>, fits: (worker: Worker) => boolean): Worker | undefined {
  let least: Worker | undefined;
  for (const worker of workers) if (fits(worker) && (least === undefined || worker.load < least.load)) least = worker;
  return least;
}

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
