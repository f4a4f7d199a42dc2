import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { FSWatcher } from 'chokidar';

// Editors write a file in steps, and a checkout writes many files.
const BURST_MS = 80;

const POLL_MS = 200;

const IGNORED = /[\\/](?:node_modules|\.git)(?:[\\/]|$)/;

/** Files whose changes are waited for; none at first. */
export class Watch implements AsyncDisposable {
  readonly #watcher = new FSWatcher({ ignored: (path) => IGNORED.test(path), ignorePermissionErrors: true });
  readonly #asked = new Set<string>();
  /** Those that are not there yet, and what looks for them. */
  readonly #missing = new Set<string>();
  #looking: NodeJS.Timeout | undefined;
  readonly #seen = new Set<string>();
  readonly #changes = new Set<string>();
  #waiting: (() => void)[] = [];
  #burst: NodeJS.Timeout | undefined;
  #sinceMs: number = Date.now();

  constructor(onError: (error: unknown) => void) {
    this.#watcher.on('error', onError);
    this.#watcher.on('change', (path) => this.#note(path));
    this.#watcher.on('unlink', (path) => {
      this.#note(path);
      if (this.#asked.delete(path)) this.add(path);
    });
    this.#watcher.on('add', (path, stats) => {
      // The first sight of a file is news only if it was written after it had been read.
      const isNews = this.#seen.has(path) || (stats?.ctimeMs ?? 0) > this.#sinceMs;
      this.#seen.add(path);
      if (isNews) this.#note(path);
    });
  }

  /** Watches a file, or all files of a folder, also if it is not there yet. */
  add(path: string): void {
    const full = resolve(path);
    if (this.#asked.has(full)) return;
    this.#asked.add(full);
    if (existsSync(full)) this.#watcher.add(full);
    else this.#expect(full);
  }

  /** What has changed since the last time; the files are about to be read anew. */
  take(): string[] {
    this.#sinceMs = Date.now();
    const changes = [...this.#changes];
    this.#changes.clear();
    return changes;
  }

  /** Resolves when something has changed, and the burst of changes that one save makes is over. */
  changed(): Promise<void> {
    if (this.#changes.size > 0 && this.#burst === undefined) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#burst);
    clearInterval(this.#looking);
    await this.#watcher.close();
  }

  /**
   * Waits for a file that is not there: by asking again and again, since there is nothing yet that could tell. Not by `watchFile`, which
   * says nothing of a file that comes before its first look, and that may be late on a busy machine.
   */
  #expect(path: string): void {
    this.#missing.add(path);
    this.#looking ??= setInterval(() => this.#look(), POLL_MS);
  }

  #look(): void {
    for (const path of this.#missing) {
      if (!existsSync(path)) continue;
      this.#missing.delete(path);
      this.#watcher.add(path);
      this.#note(path);
    }
    if (this.#missing.size > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }

  #note(path: string): void {
    this.#changes.add(path);
    clearTimeout(this.#burst);
    this.#burst = setTimeout(() => {
      this.#burst = undefined;
      for (const wake of this.#waiting.splice(0)) wake();
    }, BURST_MS);
  }
}
