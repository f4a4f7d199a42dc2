import { type Failure, NumberMap } from '../core/index.ts';
import { type Loss, lossOfProcess, type RunListener } from '../sessions/index.ts';
import type { Doing } from './blame.ts';
import { WorkerLost } from './errors.ts';
import type { Question, RunReport } from './messages.ts';

/** What hears of an episode in a worker. */
export interface EpisodeListener {
  /** The number of its session. */
  readonly session: number;
  ready(failure: Failure | undefined, saved?: string): void;
  lost(loss: Loss): void;
}

/** A run of a tool in a worker; `episode` is undefined for a tool of a toolkit. */
export interface Run extends Doing {
  readonly listener: RunListener;
  readonly name: string;
  phase: Doing['phase'];
  /** How long its tool may take; 0: any time. */
  readonly timeoutMs: number;
}

/** A question that has had no answer yet. */
export interface Asked extends Doing {
  readonly question: Question;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** All that a worker was told to do and has not done, by the numbers under which it was told. */
export class Duties {
  readonly #asked = new NumberMap<Asked>();
  readonly #runs = new NumberMap<Run>();
  readonly #episodes = new Map<number, EpisodeListener>();
  /** Setups that have not ended, by their episodes. */
  readonly #setups = new Map<number, Doing>();
  #numbers = 0;
  #toolRuns = 0;

  /** The episodes, and the runs of tools outside of them. */
  get load(): number {
    return this.#episodes.size + this.#toolRuns;
  }

  /** Whether there is nothing to do. */
  get areDone(): boolean {
    return this.#asked.size + this.#runs.size + this.#episodes.size === 0;
  }

  /** Whatever may be under way. */
  get doing(): (Run | Asked | Doing)[] {
    return [...this.#runs.values(), ...this.#setups.values(), ...this.#asked.values()];
  }

  /** Notes a question; returns its number. */
  addQuestion(question: Question, { resolve, reject }: Pick<Asked, 'resolve' | 'reject'>): number {
    const order = this.#next();
    const episode = 'episode' in question ? question.episode : undefined;
    this.#asked.set(order, { order, episode, sentAt: performance.now(), phase: 'sent', question, resolve, reject });
    return order;
  }

  /** Takes a question that has its answer. */
  takeQuestion(number: number): Asked | undefined {
    const asked = this.#asked.get(number);
    this.#asked.delete(number);
    return asked;
  }

  /** Gives an episode a number, under which it is heard of until it is removed. */
  addEpisode(listener: EpisodeListener): number {
    const number = this.#next();
    this.#episodes.set(number, listener);
    return number;
  }

  beginSetup(episode: number): void {
    this.#setups.set(episode, { order: episode, episode, sentAt: performance.now(), phase: 'sent' });
  }

  /** Notes that a setup has ended; returns who hears of it. */
  endSetup(episode: number): EpisodeListener | undefined {
    this.#setups.delete(episode);
    return this.#episodes.get(episode);
  }

  /** Tells no more of an episode and its runs; returns the names of the tools whose runs had not ended. */
  removeEpisode(episode: number): string[] {
    this.#episodes.delete(episode);
    this.#setups.delete(episode);
    const names: string[] = [];
    for (const [number, run] of this.#runs.entries()) {
      if (run.episode !== episode) continue;
      this.#runs.delete(number);
      names.push(run.name);
    }
    return names;
  }

  episodeOf(session: number | undefined): number | undefined {
    for (const [number, episode] of this.#episodes) if (episode.session === session) return number;
    return undefined;
  }

  /** Follows a run until it ends; returns its number. */
  addRun({ listener, episode, name, timeoutMs }: Pick<Run, 'listener' | 'episode' | 'name' | 'timeoutMs'>): number {
    const order = this.#next();
    this.#runs.set(order, { order, listener, episode, name, sentAt: performance.now(), phase: 'sent', timeoutMs });
    if (episode === undefined) this.#toolRuns += 1;
    return order;
  }

  /** Tells how far a run has come. */
  takeReport({ run: number, accepted, running, ending }: RunReport): void {
    const run = this.#runs.get(number);
    if (run === undefined) return;
    if (accepted) {
      run.phase = 'waiting';
      run.listener.accepted();
    }
    if (running) {
      run.phase = 'running';
      run.listener.running();
    }
    if (ending === undefined) return;
    this.#removeRun(number, run);
    run.listener.ended(ending);
  }

  /** What another worker can do as well need not wait for one that is blocked. */
  giveBack(): void {
    for (const [id, { question, reject }] of this.#asked.entries()) {
      if (question.ask !== 'open' && question.ask !== 'tasks' && question.ask !== 'check') continue;
      this.#asked.delete(id);
      reject(new WorkerLost('it is blocked, and does not answer'));
    }
  }

  /** Ends all of it, since the worker has ended; `charges` say how much each episode is to blame for that. */
  lose(why: string, charges: ReadonlyMap<number, number>): void {
    for (const { reject } of this.#asked.values()) reject(new WorkerLost(why));
    this.#asked.clear();
    for (const [number, run] of this.#runs.entries()) {
      // The runs of an episode end with its session, which knows better what to say.
      if (run.episode !== undefined) continue;
      this.#removeRun(number, run);
      const { message, thrown } = new WorkerLost(why);
      const failure = { code: 'environment_failed', message, thrown } as const;
      run.listener.ended({ kind: 'failed', outcome: 'env_error', failure, lostWith: why });
    }
    const episodes = [...this.#episodes];
    this.#episodes.clear();
    this.#runs.clear();
    this.#setups.clear();
    for (const [number, episode] of episodes) episode.lost(lossOfProcess(why, charges.get(number) ?? 0));
  }

  #next(): number {
    this.#numbers += 1;
    return this.#numbers;
  }

  #removeRun(number: number, run: Run): void {
    this.#runs.delete(number);
    if (run.episode === undefined) this.#toolRuns -= 1;
  }
}
