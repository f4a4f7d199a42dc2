import { type EnvironmentError, LazyAbort } from '../../core/index.ts';
import type { ObservedSession, SetupResult } from '../observer.ts';
import type { SessionOptions } from '../options.ts';
import { endsWithin, type Stopping } from '../overrun.ts';
import type { Episode } from './episode.ts';

/** What a setup tells its session, never within its constructor. */
export interface SetupOptions {
  readonly options: SessionOptions;
  /** As soon as it is known what came of it. */
  readonly onEnd: (error: EnvironmentError | undefined) => void;
  /** When all who waited have heard of it. */
  readonly onWoken: () => void;
}

/** The setup of an episode while it runs. It ends once, whatever the author's code does after that. */
export class Setup implements Stopping {
  readonly what = 'setup';
  /** Resolves when the author's code has ended, which may be long after the setup was given up. */
  readonly ended: Promise<void>;
  readonly #session: ObservedSession;
  readonly #episode: Episode;
  readonly #options: SessionOptions;
  readonly #onEnd: (error: EnvironmentError | undefined) => void;
  readonly #onWoken: () => void;
  readonly #abort = new LazyAbort();
  /** Those who wait for its end, in the order they came. */
  readonly #waiting: (() => void)[] = [];
  #isOver = false;

  constructor(session: ObservedSession, episode: Episode, { options, onEnd, onWoken }: SetupOptions) {
    this.#session = session;
    this.#episode = episode;
    this.#options = options;
    this.#onEnd = onEnd;
    this.#onWoken = onWoken;
    this.ended = this.#run();
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Calls back when it has ended. */
  wait(wake: () => void): void {
    this.#waiting.push(wake);
  }

  /** Fails it because it takes too long. */
  giveUp(limitMs: number): void {
    const late = new Error(`it took longer than ${limitMs} ms`);
    this.#abort.abort(late);
    this.#end('failed', this.#episode.failure('setup', late, 'setup_failed'));
    void endsWithin(this.#options.graceMs, this, this.#episode.log);
  }

  /** Ends it because its session does. */
  cancel(reason: Error): void {
    this.#abort.abort(reason);
    this.#end('cancelled', undefined);
  }

  async #run(): Promise<void> {
    const { within } = this.#options.observer;
    const run = () => this.#episode.setUp(this.#abort);
    try {
      await (within === undefined ? run() : within(this.#session, run));
    } catch (thrown) {
      return this.#end('failed', thrown as EnvironmentError);
    }
    this.#end('ready', undefined);
  }

  #end(result: SetupResult, error: EnvironmentError | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { startedAt } = this.#session;
    this.#options.observer.setupEnded(this.#session, result, performance.now() - startedAt);
    this.#onEnd(error);
    for (const wake of this.#waiting.splice(0)) wake();
    this.#onWoken();
  }
}
