import { type ChildProcess, fork } from 'node:child_process';
import type { Readable } from 'node:stream';
import { type Failure, type Log, toFailureError } from '../core/index.ts';
import type { RunListener } from '../sessions/index.ts';
import { toStartError, WorkerLost } from './errors.ts';
import type { Order, Question, Report, RunReport, WorkerContents, WorkerPlan } from './messages.ts';
import { Outbox } from './outbox.ts';

/** How a worker's process is started. */
export interface WorkerStart {
  readonly entry: string;
  readonly execArgv: readonly string[];
  readonly plan: WorkerPlan;
  readonly log: Log;
}

/** What hears of an episode in a worker. */
export interface EpisodeListener {
  ready(failure: Failure | undefined, saved?: string): void;
  lost(why: string): void;
}

/** A run of a tool in a worker. */
interface Run {
  readonly listener: RunListener;
  /** Undefined for a tool of a toolkit. */
  readonly episode: number | undefined;
  readonly name: string;
  readonly sentAt: number;
  /** How long its tool may take; 0: any time. */
  readonly timeoutMs: number;
}

interface Asked {
  readonly question: Question;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Where the thread that guards a worker writes why it ends it. */
export const GUARD_FD = 4;

// One that answers at all answers a ping sooner, also on a machine that is busy.
const SILENT_MS = 400;

/** Within this time a worker that is not blocked has given a sign of life. */
export const SIGN_OF_LIFE_MS = 1_000;

/** One process that runs authors' code. */
export class Worker {
  /** Resolves when its modules are loaded. */
  readonly loaded: Promise<WorkerContents>;
  /** Resolves, with the reason, when its process has ended. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  readonly #log: Log;
  readonly #outbox: Outbox<Order>;
  readonly #asked = new Map<number, Asked>();
  readonly #runs = new Map<number, Run>();
  readonly #episodes = new Map<number, EpisodeListener>();
  #numbers = 0;
  #contents: WorkerContents | undefined;
  #onLoaded: (contents: WorkerContents) => void = () => {};
  #onBroken: (error: Error) => void = () => {};
  /** Since when a ping has had no answer. */
  #pingedAt: number | undefined;
  #lost: string | undefined;
  #killedBecause: string | undefined;

  constructor({ entry, execArgv, plan, log }: WorkerStart) {
    this.#log = log;
    this.loaded = new Promise((resolve, reject) => {
      this.#onLoaded = resolve;
      this.#onBroken = reject;
    });
    this.#child = fork(entry, {
      serialization: 'advanced',
      execArgv: [...execArgv],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe'],
    });
    this.#outbox = new Outbox((orders) => {
      // One that has ended is told nothing; those who wait for it hear of its end.
      if (this.#child.connected) this.#child.send(orders, () => {});
    });
    this.#child.on('message', (reports: Report[]) => this.#take(reports));
    (this.#child.stdio[GUARD_FD] as Readable).on('data', (reason) => {
      this.#killedBecause ??= String(reason);
    });
    this.ended = new Promise((resolve) => {
      const end = (why: string) => {
        this.#end(why);
        resolve(why);
      };
      // Not at its exit: what its guard wrote may come after that.
      this.#child.once('close', (code, signal) => end(this.#killedBecause ?? howItEnded(code, signal)));
      this.#child.once('error', (error) => this.#child.pid === undefined && end(`could not start: ${error.message}`));
    });
    this.#outbox.put({ kind: 'load', plan });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** How much it has to do: the episodes in it, and the runs of tools outside of them. */
  get load(): number {
    return this.#episodes.size + this.#toolRuns;
  }

  #toolRuns = 0;

  /** Whether it has not answered for a while: some code blocks it. */
  isSilent(now: number): boolean {
    return this.#pingedAt !== undefined && now - this.#pingedAt > SILENT_MS;
  }

  /** Asks it something; rejects with WorkerLost if it ends before it answers. */
  ask<Answer>(question: Question): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      if (this.#lost !== undefined) return reject(new WorkerLost(this.#lost));
      const id = this.#next();
      this.#asked.set(id, { question, resolve: resolve as Asked['resolve'], reject });
      this.#outbox.put({ kind: 'ask', id, question });
    });
  }

  tell(order: Order): void {
    this.#outbox.put(order);
  }

  /** Gives an episode a number, under which it is heard of and counted until it is removed. */
  addEpisode(listener: EpisodeListener): number {
    const number = this.#next();
    this.#episodes.set(number, listener);
    return number;
  }

  /** Tells no more of an episode and its runs; returns how many of those had not ended. */
  removeEpisode(episode: number): number {
    this.#episodes.delete(episode);
    let count = 0;
    for (const [number, run] of this.#runs) {
      if (run.episode !== episode) continue;
      this.#runs.delete(number);
      count += 1;
    }
    return count;
  }

  /** Follows a run until it ends; returns its number. */
  addRun(name: string, episode: number | undefined, environment: string | undefined, listener: RunListener): number {
    const number = this.#next();
    const timeoutMs = this.#timeoutOf(name, environment);
    this.#runs.set(number, { listener, episode, name, sentAt: performance.now(), timeoutMs });
    if (episode === undefined) this.#toolRuns += 1;
    return number;
  }

  /** Looks whether it still answers; ends it if a tool holds it for longer than that may. */
  beat(now: number, graceMs: number): void {
    if (this.#contents === undefined || this.#lost !== undefined) return;
    if (this.#pingedAt === undefined) {
      if (this.#asked.size + this.#runs.size + this.#episodes.size === 0) return;
      this.#pingedAt = now;
      this.#outbox.put({ kind: 'ping' });
      return;
    }
    if (!this.isSilent(now)) return;
    this.#giveBack();
    const culprit = this.#slowestSince(this.#pingedAt);
    if (culprit === undefined || culprit.timeoutMs === 0) return;
    const { name, timeoutMs } = culprit;
    if (now - this.#pingedAt > timeoutMs + graceMs)
      this.kill(`tool '${name}' blocked it for longer than ${timeoutMs} ms, and ${graceMs} ms more`);
  }

  /** Ends it if code that was told to stop still blocks it: `what` says which. */
  endIfSilent(what: string, graceMs: number): void {
    if (this.isSilent(performance.now())) this.kill(`${what} blocked it for ${graceMs} ms after it was told to stop`);
  }

  /** Counts the time from now on: the server itself has been away. */
  forgive(now: number): void {
    if (this.#pingedAt !== undefined) this.#pingedAt = now;
  }

  /** Ends its process at once. */
  kill(why: string): void {
    this.#killedBecause ??= why;
    this.#child.kill('SIGKILL');
  }

  /** Lets it end by itself, or else ends it. */
  async stop(limitMs: number): Promise<void> {
    this.#outbox.put({ kind: 'stop' });
    const timer = setTimeout(() => this.kill('it did not stop'), limitMs);
    await this.ended;
    clearTimeout(timer);
  }

  #next(): number {
    this.#numbers += 1;
    return this.#numbers;
  }

  #timeoutOf(name: string, environment: string | undefined): number {
    const contents = this.#contents;
    const timeouts = environment === undefined ? contents?.toolTimeouts : contents?.timeouts[environment];
    return timeouts?.[name] ?? 0;
  }

  /** Of the runs that may block it since then, the one that may take longest. */
  #slowestSince(since: number): Run | undefined {
    let slowest: Run | undefined;
    for (const run of this.#runs.values()) {
      if (run.sentAt > since) continue;
      if (run.timeoutMs === 0) return run;
      if (slowest === undefined || run.timeoutMs > slowest.timeoutMs) slowest = run;
    }
    return slowest;
  }

  /** What another worker can do as well need not wait for this one. */
  #giveBack(): void {
    for (const [id, { question, reject }] of this.#asked) {
      if (question.ask !== 'open' && question.ask !== 'tasks' && question.ask !== 'check') continue;
      this.#asked.delete(id);
      reject(new WorkerLost('it is blocked, and does not answer'));
    }
  }

  #take(reports: Report[]): void {
    this.#pingedAt = undefined;
    // Authors' code may use the channel as well, and that is none of ours.
    if (!Array.isArray(reports)) return;
    for (const report of reports) this.#takeOne(report);
  }

  #takeOne(report: Report): void {
    switch (report.kind) {
      case 'run':
        return this.#takeRun(report);
      case 'answer':
        return this.#takeAsked(report.id)?.resolve(report.value);
      case 'refusal':
        return this.#takeAsked(report.id)?.reject(toFailureError(report.failure));
      case 'ready':
        return this.#episodes.get(report.episode)?.ready(report.failure, report.saved);
      case 'log':
        return this.#log[report.level](report.fields, report.message);
      case 'loaded':
        this.#contents = report.contents;
        return this.#onLoaded(report.contents);
      case 'broken':
        return this.#onBroken(toStartError(report.problem));
    }
  }

  #takeRun({ run: number, accepted, running, ending }: RunReport): void {
    const run = this.#runs.get(number);
    if (run === undefined) return;
    if (accepted) run.listener.accepted();
    if (running) run.listener.running();
    if (ending === undefined) return;
    this.#removeRun(number, run);
    run.listener.ended(ending);
  }

  #removeRun(number: number, run: Run): void {
    this.#runs.delete(number);
    if (run.episode === undefined) this.#toolRuns -= 1;
  }

  #takeAsked(id: number): Asked | undefined {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    return asked;
  }

  #end(why: string): void {
    this.#lost = why;
    this.#onBroken(new WorkerLost(why));
    for (const { reject } of this.#asked.values()) reject(new WorkerLost(why));
    this.#asked.clear();
    for (const [number, run] of this.#runs) {
      // The runs of an episode end with its session, which knows better what to say.
      if (run.episode !== undefined) continue;
      this.#removeRun(number, run);
      const { message, thrown } = new WorkerLost(why);
      run.listener.ended({
        kind: 'failed',
        outcome: 'env_error',
        failure: { code: 'environment_failed', message, thrown },
        lostWith: why,
      });
    }
    const episodes = [...this.#episodes.values()];
    this.#episodes.clear();
    this.#runs.clear();
    for (const episode of episodes) episode.lost(why);
  }
}

function howItEnded(code: number | null, signal: string | null): string {
  if (signal === 'SIGABRT') return 'it was ended by SIGABRT: it ran out of memory, or native code in it failed';
  return signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`;
}
