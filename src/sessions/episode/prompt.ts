import type { WireBlock } from '../../protocol/index.ts';
import type { Episode } from './episode.ts';

/** The prompt of an episode: the author's code runs once, and again only if it failed. */
export class Prompt {
  /** Whether it failed the last time. */
  failed = false;
  /** While the author's code runs; does not reject. */
  running: Promise<void> | undefined;
  #blocks: Promise<WireBlock[]> | undefined;

  read(episode: Episode): Promise<WireBlock[]> {
    if (this.#blocks === undefined) {
      this.#blocks = episode.readPrompt();
      this.running = this.#blocks.then(
        () => this.#ended(false),
        () => this.#ended(true),
      );
    }
    return this.#blocks;
  }

  #ended(failed: boolean): void {
    this.running = undefined;
    this.failed = failed;
    if (failed) this.#blocks = undefined;
  }
}
