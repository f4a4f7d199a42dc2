import type { WireBlock } from '../protocol/index.ts';
import type { Episode } from './episode.ts';

/** The prompt of an episode: the author's code runs once, and again only if it failed. */
export class Prompt {
  /** Whether it failed the last time. */
  failed = false;
  #blocks: Promise<WireBlock[]> | undefined;

  read(episode: Episode): Promise<WireBlock[]> {
    this.#blocks ??= this.#run(episode);
    return this.#blocks;
  }

  async #run(episode: Episode): Promise<WireBlock[]> {
    try {
      const blocks = await episode.readPrompt();
      this.failed = false;
      return blocks;
    } catch (thrown) {
      this.#blocks = undefined;
      this.failed = true;
      throw thrown;
    }
  }
}
