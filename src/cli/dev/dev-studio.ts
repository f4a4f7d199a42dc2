import type { AuthOptions } from '../../server/index.ts';
import type { Studio } from '../../studio/index.ts';
import { startBeside } from '../shared/studio/beside.ts';
import type { Display } from './reloader.ts';

/** What tells of the studio. */
export interface StudioDisplay {
  studio(url: string): void;
  /** It cannot be started; the server goes on. */
  noStudio(message: string): void;
}

/** What the studio is started for. */
export interface DevStudioOptions {
  readonly name: string;
  readonly auth: AuthOptions | undefined;
  readonly display: StudioDisplay;
}

/** The studio beside the server, from the first time that the server listens. */
export class DevStudio implements AsyncDisposable {
  readonly #options: DevStudioOptions;
  #starting: Promise<Studio | undefined> | undefined;

  constructor(options: DevStudioOptions) {
    this.#options = options;
  }

  /** Tells what was told before, and starts the studio. */
  around(listening: Display['listening']): Display['listening'] {
    return (url, served) => {
      listening(url, served);
      this.#starting ??= this.#start(url);
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#starting)?.close();
  }

  async #start(url: string): Promise<Studio | undefined> {
    const { name, auth, display } = this.#options;
    try {
      const studio = await startBeside({ name, url, auth });
      display.studio(studio.url);
      return studio;
    } catch (thrown) {
      display.noStudio((thrown as Error).message);
      return undefined;
    }
  }
}
