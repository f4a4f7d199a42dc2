import { type Failure, LazyAbort, type TiltyardError, toFailure } from '../../core/index.ts';
import type { ToolSpec, WireBlock } from '../../protocol/index.ts';
import { runAuthors } from '../author-code.ts';
import type { SessionSubject } from '../events.ts';
import type { EpisodeOptions } from '../options.ts';
import { reportOverrun, type Stopping } from '../overrun.ts';
import { settlesWithin } from '../time-limit.ts';
import type { Episode } from './episode.ts';
import { Prompt } from './prompt.ts';
import { firstSave, rebuild } from './rebuild.ts';
import { Runner } from './runner.ts';
import type { OpenEpisode, Past, ReadyListener } from './runtime.ts';

/** An episode in this process: it runs its tools, answers what else its session asks, and says in which order its parts begin and end. */
export class LocalEpisode extends Runner implements OpenEpisode {
  readonly taskDigest: string | undefined;
  /** What it is built again from, until it is. */
  #past: Past | undefined;
  #hasBegun = false;
  // Made when first needed: an idle session shall be small.
  #setup: Setup | undefined;
  #prompt: Prompt | undefined;

  constructor(
    episode: Episode,
    options: EpisodeOptions,
    { taskDigest, past }: { taskDigest: string | undefined; past: Past | undefined },
  ) {
    super(episode, options);
    this.taskDigest = taskDigest;
    this.#past = past;
  }

  get environment(): string {
    return this.episode.environment.name;
  }

  get needsSetup(): boolean {
    return this.episode.needsSetup || this.#past !== undefined;
  }

  begin(onReady: ReadyListener): void {
    this.#hasBegun = true;
    if (!this.needsSetup) return onReady(undefined);
    const abort = new LazyAbort();
    let isTold = false;
    // What the author's code does after it was given up changes nothing.
    const tell: ReadyListener = (failure, saved) => {
      if (!isTold) onReady(failure, saved);
      isTold = true;
    };
    const what = this.#past === undefined ? 'setup' : 'restore';
    const running = this.#run('setup', () => this.#build(abort));
    const ended = running.then(
      (saved) => tell(undefined, saved),
      (error: TiltyardError) => tell(toFailure(error)),
    );
    this.#setup = { what, startedAt: performance.now(), ended, abort, tell };
    void ended.then(() => {
      this.#setup = undefined;
      this.#past = undefined;
    });
  }

  giveUpSetup(limitMs: number): void {
    const setup = this.#setup;
    if (setup === undefined) return;
    const late = new Error(`it took longer than ${limitMs} ms`);
    setup.abort.abort(late);
    setup.tell(toFailure(this.episode.failure(setup.what, late, `${setup.what}_failed`)));
    void reportOverrun(this.options.graceMs, setup, this.episode.log);
  }

  prompt(): Promise<WireBlock[]> {
    this.#prompt ??= new Prompt();
    return this.#prompt.read(() => this.#run('prompt', () => this.episode.readPrompt()));
  }

  tools(): readonly ToolSpec[] {
    return this.episode.toolSpecs;
  }

  async close(reason: string): Promise<void> {
    if (!this.#hasBegun) return;
    const gone = new Error(reason);
    this.#setup?.abort.abort(gone);
    const executing = this.stop(gone);
    const stopping: readonly Stopping[] = this.#setup === undefined ? executing : [...executing, this.#setup];
    const { graceMs, teardownMs } = this.options;
    const { log } = this.episode;
    await Promise.all([this.#promptEnds(), ...stopping.map((work) => reportOverrun(graceMs, work, log))]);
    const tornDown = this.#run('teardown', () => this.episode.tearDown());
    if (!(await settlesWithin(tornDown, teardownMs)))
      log.warn('teardown timed out; no longer waiting for it', { limitMs: teardownMs });
  }

  /** Sets the episode up, or builds it again; the JSON of its state where that is saved. */
  async #build(abort: LazyAbort): Promise<string | undefined> {
    const past = this.#past;
    if (past !== undefined)
      return rebuild(past, { episode: this.episode, runner: this, prompt: () => this.prompt(), abort });
    await this.episode.setUp(abort);
    return firstSave(this.episode, abort);
  }

  #run<Value>(part: SessionSubject['part'], run: () => Value): Value {
    const { session, sid, environment } = this.episode;
    const toSubject = () => ({ session, part, environment: environment.name, sid });
    return runAuthors(this.options.observer, this.episode, toSubject, run);
  }

  /** Waits for a prompt that is being made, but not for ever: it has no signal to listen to. */
  async #promptEnds(): Promise<void> {
    const { graceMs: limitMs } = this.options;
    const running = this.#prompt?.running;
    if (running !== undefined && !(await settlesWithin(running, limitMs)))
      this.episode.log.warn('prompt timed out; no longer waiting for it', { limitMs });
  }
}

/** A setup while it runs, also when it was given up. */
interface Setup extends Stopping {
  readonly what: 'setup' | 'restore';
  readonly abort: LazyAbort;
  readonly tell: (failure: Failure) => void;
}
