import type { Awaitable } from '../core/index.ts';
import type { ToolSpec, WireBlock } from '../protocol/index.ts';
import type {
  EpisodeRuntime,
  EpisodeStart,
  Loss,
  Manifest,
  OpenEpisode,
  ReadyListener,
  RunListener,
  RunRequest,
  TaskPage,
  TaskQuery,
} from '../sessions/index.ts';

/** A runtime whose episodes can lose their process, as they do when that crashes: nothing is torn down, and nothing is heard of them. */
export class CrashableRuntime implements EpisodeRuntime {
  readonly #runtime: EpisodeRuntime;
  readonly #live = new Set<CrashableEpisode>();

  constructor(runtime: EpisodeRuntime) {
    this.#runtime = runtime;
  }

  get manifest(): Manifest {
    return this.#runtime.manifest;
  }

  tasks(query: TaskQuery): Awaitable<TaskPage> {
    return this.#runtime.tasks(query);
  }

  async open(start: EpisodeStart): Promise<OpenEpisode> {
    const episode = new CrashableEpisode(await this.#runtime.open(start));
    this.#live.add(episode);
    return episode;
  }

  /** All episodes that are there lose their process. */
  crash(loss: Loss): void {
    for (const episode of this.#live) episode.crash(loss);
    this.#live.clear();
  }
}

class CrashableEpisode implements OpenEpisode {
  readonly #episode: OpenEpisode;
  #isLost = false;
  #onLost: (loss: Loss) => void = () => {};
  #rejectAll: (error: Error) => void = () => {};
  /** Rejects when it crashes. */
  readonly #crashed: Promise<never>;

  constructor(episode: OpenEpisode) {
    this.#episode = episode;
    this.#crashed = new Promise<never>((_resolve, reject) => {
      this.#rejectAll = reject;
    });
    this.#crashed.catch(() => {});
  }

  get environment(): string {
    return this.#episode.environment;
  }

  get needsSetup(): boolean {
    return this.#episode.needsSetup;
  }

  get taskDigest(): string | undefined {
    return this.#episode.taskDigest;
  }

  begin(onReady: ReadyListener, onLost: (loss: Loss) => void = () => {}): void {
    this.#onLost = onLost;
    this.#episode.begin((failure, saved) => void (this.#isLost || onReady(failure, saved)));
  }

  giveUpSetup(limitMs: number): void {
    this.#episode.giveUpSetup(limitMs);
  }

  prompt(): Promise<WireBlock[]> {
    return Promise.race([this.#episode.prompt(), this.#crashed]);
  }

  tools(): Awaitable<readonly ToolSpec[]> {
    return this.#episode.tools();
  }

  run(request: RunRequest, listener: RunListener): void {
    if (this.#isLost) return;
    this.#episode.run(request, {
      accepted: () => void (this.#isLost || listener.accepted()),
      running: () => void (this.#isLost || listener.running()),
      ended: (ending) => void (this.#isLost || listener.ended(ending)),
    });
  }

  abort(call: number, reason: string): void {
    if (!this.#isLost) this.#episode.abort(call, reason);
  }

  async close(reason: string): Promise<void> {
    if (!this.#isLost) await this.#episode.close(reason);
  }

  crash(loss: Loss): void {
    this.#isLost = true;
    this.#rejectAll(new Error(loss.processEnd));
    setImmediate(() => this.#onLost(loss));
  }
}
