import { type Log, toError, toFailureError } from '../core/index.ts';
import { isObject } from '../protocol/index.ts';
import type { RunListener } from '../sessions/index.ts';
import { blame, type Doing, type Scene, suspectsOf } from './blame.ts';
import { Duties, type EpisodeListener, type Run } from './duties.ts';
import { toStartError, WorkerLost } from './errors.ts';
import type { Order, Question, Report, WorkerContents, WorkerPlan } from './messages.ts';
import { Outbox } from './outbox.ts';
import { unpack } from './parcels.ts';
import { Silence } from './silence.ts';
import type { EndKind, WorkerEnd } from './worker-end.ts';
import { type ProcessStart, WorkerProcess } from './worker-process.ts';

/** How a worker's process is started. */
export interface WorkerStart extends ProcessStart {
  readonly plan: WorkerPlan;
  readonly log: Log;
  /** Called with the URL of each file that it imports, if its plan tells them. */
  readonly onImport?: ((url: string) => void) | undefined;
}

/** Code that was told to stop, and then had its time for that. */
interface Stopped {
  readonly what: string;
  readonly graceMs: number;
  readonly culprit: Pick<Doing, 'episode'> | undefined;
  readonly at: number;
}

/** Within this time a worker that is not blocked has given a sign of life. */
export const SIGN_OF_LIFE_MS = 1_000;

/** One process that runs authors' code. */
export class Worker {
  /** Resolves when its modules are loaded. */
  readonly loaded: Promise<WorkerContents>;
  /** Resolves, with the reason, when its process has ended. */
  readonly ended: Promise<WorkerEnd>;
  readonly #process: WorkerProcess;
  readonly #log: Log;
  readonly #onImport: WorkerStart['onImport'];
  readonly #outbox: Outbox<Order>;
  readonly #duties = new Duties();
  #contents: WorkerContents | undefined;
  #onLoaded: (contents: WorkerContents) => void = () => {};
  #onBroken: (error: Error) => void = () => {};
  readonly #silence = new Silence();
  /** The order that blocks it, as it says itself. */
  #blocking: number | undefined;
  /** Code that was told to stop, and of which it is not known yet whether it blocks. */
  #unstopped: Stopped | undefined;
  #lost: string | undefined;
  #culprit: Pick<Doing, 'episode'> | undefined;

  constructor({ plan, log, onImport, ...start }: WorkerStart) {
    this.#log = log;
    this.#onImport = onImport;
    this.loaded = new Promise((resolve, reject) => {
      this.#onLoaded = resolve;
      this.#onBroken = reject;
    });
    this.#process = new WorkerProcess(start, {
      onMessage: (message) => this.#take(message),
      onWords: ({ blocking }) => {
        this.#blocking = blocking ?? this.#blocking;
      },
    });
    this.#outbox = new Outbox((orders) => this.#process.send(orders));
    this.ended = this.#process.ended.then(({ culprit, ...end }) => {
      if (culprit !== undefined) this.#culprit ??= { episode: this.#duties.episodeOf(culprit.session) };
      this.#end(end.why);
      return end;
    });
    this.#outbox.put({ kind: 'load', plan });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** How much it has to do: the episodes in it, and the runs of tools outside of them. */
  get load(): number {
    return this.#duties.load;
  }

  /** Whether it has not answered for a while: some code blocks it. */
  isSilent(now: number): boolean {
    return this.#silence.sinceOf(now) !== undefined;
  }

  /** Asks it something; rejects with WorkerLost if it ends before it answers. */
  ask<Answer>(question: Question): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      if (this.#lost !== undefined) return reject(new WorkerLost(this.#lost));
      const id = this.#duties.addQuestion(question, { resolve: resolve as (value: unknown) => void, reject });
      this.#outbox.put({ kind: 'ask', id, question });
    });
  }

  tell(order: Order): void {
    if (order.kind === 'begin') this.#duties.beginSetup(order.episode);
    this.#outbox.put(order);
  }

  /** Gives an episode a number, under which it is heard of and counted until it is removed. */
  addEpisode(listener: EpisodeListener): number {
    return this.#duties.addEpisode(listener);
  }

  /** Tells no more of an episode and its runs; returns the names of the tools whose runs had not ended. */
  removeEpisode(episode: number): string[] {
    return this.#duties.removeEpisode(episode);
  }

  /** Follows a run until it ends; returns its number. */
  addRun(name: string, episode: number | undefined, environment: string | undefined, listener: RunListener): number {
    const timeoutMs = this.#timeoutOf(name, environment);
    return this.#duties.addRun({ listener, episode, name, timeoutMs });
  }

  /** Looks whether it still answers; ends it if a tool holds it for longer than that may. */
  beat(now: number, graceMs: number): void {
    if (this.#contents === undefined || this.#lost !== undefined) return;
    if (!this.#silence.isPinged) {
      if (this.#duties.areDone) {
        this.#unstopped = undefined;
        return;
      }
      this.#silence.pinged(now);
      this.#outbox.put({ kind: 'ping', at: now });
      return;
    }
    if (!this.isSilent(now)) return;
    if (this.#unstopped !== undefined) return this.#endStopped(this.#unstopped);
    this.#duties.giveBack();
    const slowest = this.#slowestSuspect();
    if (slowest === undefined || slowest.timeoutMs === 0) return;
    const { name, timeoutMs } = slowest;
    if (this.#silence.lastsMs(now) > timeoutMs + graceMs)
      this.kill(`tool '${name}' blocked it for longer than ${timeoutMs} ms, and ${graceMs} ms more`, 'blocked');
  }

  /** Ends it if code that was told to stop still blocks it: `what` says which, and `culprit` whose, if that is known. */
  endIfSilent(what: string, graceMs: number, culprit?: Pick<Doing, 'episode'>): void {
    const at = performance.now();
    const stopped = { what, graceMs, culprit, at };
    if (this.isSilent(at)) return this.#endStopped(stopped);
    // If the server itself has been away, it does not know yet.
    this.#unstopped = stopped;
  }

  /** Counts the time from now on: the server itself has been away. */
  forgive(now: number): void {
    this.#silence.forgive(now);
  }

  /** Ends its process at once. */
  kill(why: string, kind: EndKind): void {
    this.#process.kill({ why, kind });
  }

  /** Lets it end by itself, or else ends it. */
  async stop(limitMs: number): Promise<void> {
    this.#outbox.put({ kind: 'stop' });
    const timer = setTimeout(() => this.kill('it did not stop', 'killed'), limitMs);
    await this.ended;
    clearTimeout(timer);
  }

  #endStopped({ what, graceMs, culprit }: Stopped): void {
    this.#culprit ??= culprit;
    this.kill(`${what} blocked it for ${graceMs} ms after it was told to stop`, 'blocked');
  }

  #timeoutOf(name: string, environment: string | undefined): number {
    const contents = this.#contents;
    const timeouts = environment === undefined ? contents?.toolTimeouts : contents?.timeouts[environment];
    return timeouts?.[name] ?? 0;
  }

  /** Of the runs that may block it, the one that may take longest; undefined if it may be something else. */
  #slowestSuspect(): Run | undefined {
    const suspects = suspectsOf(this.#scene());
    let slowest: Run | undefined;
    for (const suspect of suspects) {
      if (!('timeoutMs' in suspect)) continue;
      if (suspect.timeoutMs === 0) return suspect;
      if (slowest === undefined || suspect.timeoutMs > slowest.timeoutMs) slowest = suspect;
    }
    return slowest;
  }

  #scene(): Scene<Doing | Run> {
    return {
      doing: this.#duties.doing,
      answeredAt: this.#silence.answeredAt,
      silentSince: this.#silence.sinceOf(performance.now()),
      blocking: this.#blocking,
    };
  }

  #take(message: unknown): void {
    this.#silence.broken();
    this.#blocking = undefined;
    try {
      for (const report of unpack(message) ?? []) if (isObject(report)) this.#takeOne(report as Report);
    } catch (thrown) {
      this.#log.error({ worker: this.pid, error: toError(thrown) }, 'a worker process sent what makes no sense');
      this.kill('it sent what makes no sense', 'crashed');
    }
  }

  #takeOne(report: Report): void {
    switch (report.kind) {
      case 'run':
        return this.#duties.takeReport(report);
      case 'answer':
        return this.#duties.takeQuestion(report.id)?.resolve(report.value);
      case 'refusal':
        return this.#duties.takeQuestion(report.id)?.reject(toFailureError(report.failure));
      case 'import':
        return this.#onImport?.(report.url);
      case 'pong':
        this.#silence.answeredAt = report.at;
        // It answers: nothing blocks it.
        if (this.#unstopped !== undefined && report.at >= this.#unstopped.at) this.#unstopped = undefined;
        return;
      case 'ready':
        return this.#duties.endSetup(report.episode)?.ready(report.failure, report.saved);
      case 'log':
        return this.#log[report.level](report.fields, report.message);
      case 'loaded':
        this.#contents = report.contents;
        return this.#onLoaded(report.contents);
      case 'broken':
        return this.#onBroken(toStartError(report.problem));
    }
  }

  #end(why: string): void {
    const charges = blame({ ...this.#scene(), named: this.#culprit });
    this.#lost = why;
    this.#onBroken(new WorkerLost(why));
    this.#duties.lose(why, charges);
  }
}
