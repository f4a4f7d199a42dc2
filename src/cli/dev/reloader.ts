import type { ModuleProblem } from '../shared/module-problem.ts';
import type { Served } from '../shared/serving/banner.ts';
import type { VersionPlan } from './messages.ts';
import { type AuthorsOutput, type LoadOutcome, Version } from './version.ts';
import type { Watch } from './watch.ts';

/** What happens, for the display. */
export interface Display {
  listening(url: string, served: Served): void;
  reloading(changed: readonly string[]): void;
  reloaded(url: string, served: Served): void;
  /** A version that cannot be loaded; whether the one before goes on serving. */
  broken(problem: ModuleProblem, before: 'serves' | 'none'): void;
  /** The version that serves ended by itself. */
  ended(exitCode: number | undefined): void;
  /** The version that served was in a loop, and was killed: no teardown has run. */
  killed(): void;
  log(line: string): void;
}

/** What is done beside the serving, and must not delay it. */
export interface Background {
  /** The newest code has been dealt with. */
  start(): void;
  /** There is newer code. */
  cancel(): void;
}

/** What is served, and where. */
export interface ReloaderOptions {
  readonly plan: VersionPlan;
  /** Where to listen; port 0 is chosen once, and kept. */
  readonly address: { readonly host: string; readonly port: number };
  readonly output: AuthorsOutput;
  readonly watch: Watch;
  readonly display: Display;
  readonly background: Background;
}

/** Keeps the newest version of the author's code that can be loaded serving. */
export class Reloader {
  readonly #options: ReloaderOptions;
  #port: number;
  #serving: Version | undefined;
  #loading: Version | undefined;
  /** The process of the next version. */
  #spare: Version | undefined;
  #hasServed = false;
  #isStopping = false;

  constructor(options: ReloaderOptions) {
    this.#options = options;
    this.#port = options.address.port;
  }

  /** Serves, and reloads at each change, until the signal fires; then everything has ended. */
  async run(signal: AbortSignal): Promise<void> {
    const { watch } = this.#options;
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    let renewing: Promise<void> | undefined;
    try {
      while (!signal.aborted) {
        renewing = this.#renew(watch.take());
        await Promise.race([renewing, aborted]);
        await Promise.race([watch.changed(), aborted]);
      }
    } finally {
      this.#isStopping = true;
      await Promise.all([this.#loading?.discard(), this.#spare?.discard()]);
      // It has failed already, or fails now because what it loads is gone.
      await Promise.allSettled([renewing]);
      await this.#close(this.#serving);
    }
  }

  /** Loads the code as it is now, and lets it serve if that works. */
  async #renew(changed: readonly string[]): Promise<void> {
    const { plan, watch, background } = this.#options;
    background.cancel();
    const version = this.#spare ?? this.#newVersion();
    this.#spare = undefined;
    this.#loading = version;
    const outcome = await Promise.race([version.load(plan), watch.changed()]);
    // Code that changed meanwhile is not worth waiting for.
    if (outcome === undefined) await version.discard();
    // It has ended because everything ends.
    else if (this.#isStopping) return;
    else {
      if (outcome.kind === 'loaded') await this.#replace(version, outcome.served, changed);
      else this.#refuse(await toProblem(version, outcome));
      if (this.#isStopping) return;
      this.#prepare();
      background.start();
    }
    if (this.#loading === version) this.#loading = undefined;
  }

  #newVersion(): Version {
    const { watch, display, output } = this.#options;
    return new Version({ onImport: (file) => watch.add(file), onLog: (line) => display.log(line) }, output);
  }

  /** Starts the process of the next version, so that a change need not wait for that. */
  #prepare(): void {
    const spare = this.#newVersion();
    this.#spare = spare;
    void spare.ended.then(() => {
      if (this.#spare === spare) this.#spare = undefined;
    });
  }

  async #replace(version: Version, served: Served, changed: readonly string[]): Promise<void> {
    const { display, address } = this.#options;
    if (this.#hasServed) display.reloading(changed);
    await this.#close(this.#serving);
    const url = await version.listen(this.#port, address.host);
    this.#port = Number(new URL(url).port);
    this.#serving = version;
    this.#loading = undefined;
    void version.ended.then((exitCode) => this.#onEnded(version, exitCode));
    if (this.#hasServed) display.reloaded(url, served);
    else display.listening(url, served);
    this.#hasServed = true;
  }

  #refuse(problem: ModuleProblem): void {
    const { watch, display } = this.#options;
    for (const file of [problem.file, problem.missing]) if (file !== undefined) watch.add(file);
    display.broken(problem, this.#serving === undefined ? 'none' : 'serves');
  }

  #onEnded(version: Version, exitCode: number | undefined): void {
    if (this.#serving !== version) return;
    this.#serving = undefined;
    this.#options.display.ended(exitCode);
  }

  async #close(version: Version | undefined): Promise<void> {
    this.#serving = undefined;
    if (version !== undefined && !(await version.close())) this.#options.display.killed();
  }
}

async function toProblem(version: Version, outcome: Exclude<LoadOutcome, { kind: 'loaded' }>): Promise<ModuleProblem> {
  if (outcome.kind === 'broken') return outcome.problem;
  return { message: `the process exited while loading (exit code ${(await version.ended) ?? 'none: killed'})` };
}
