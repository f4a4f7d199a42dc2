import type { WireBlock } from '../../protocol/index.ts';
import type { Episode } from './episode.ts';

/** The prompt of an episode: the author's code runs once, and again only if it failed. */
export class Prompt {
  /** While the author's code runs; does not reject. */
  running: Promise<void> | undefined;
  #blocks: Promise<WireBlock[]> | undefined;

  read(episode: Episode): Promise<WireBlock[]> {
    if (this.#blocks === undefined) {
      this.#blocks = episode.readPrompt();
      this.running = this.#blocks.then(
        () => this.#ended(),
        () => {
          this.#ended();
          this.#blocks = undefined;
        },
      );
    }
    return this.#blocks;
  }

  #ended(): void {
    this.running = undefined;
  }
}
