import type { WireBlock } from '../../protocol/index.ts';
import type { OpenEpisode } from './runtime.ts';

/** The prompts that are asked for in a session. */
export class SessionPrompts {
  /** How many are being made. */
  runningCount = 0;
  /** Whether the last one failed. */
  hasFailed = false;

  async read(episode: Pick<OpenEpisode, 'prompt'>): Promise<WireBlock[]> {
    this.runningCount += 1;
    try {
      const blocks = await episode.prompt();
      this.hasFailed = false;
      return blocks;
    } catch (thrown) {
      this.hasFailed = true;
      throw thrown;
    } finally {
      this.runningCount -= 1;
    }
  }
}
