import type { WireBlock } from '../../protocol/index.ts';

/** The prompt of an episode: the author's code runs once, and again only if it failed. */
export class Prompt {
  /** While the author's code runs; does not reject. */
  running: Promise<void> | undefined;
  #blocks: Promise<WireBlock[]> | undefined;

  read(make: () => Promise<WireBlock[]>): Promise<WireBlock[]> {
    if (this.#blocks === undefined) {
      this.#blocks = make();
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
