import { End, type Stop } from './end.ts';
import { NetworkError } from './errors.ts';
import { followStop } from './follow-signal.ts';
import { toDelay } from './timer.ts';

/** What a watched connection belongs to. */
export interface SilenceOptions {
  readonly sid?: string | undefined;
  /** Ends the watched request, too. */
  readonly signal?: Stop | undefined;
  /** No byte for this long counts as a lost connection. */
  readonly silenceMs: number;
}

/** Aborts a request when nothing is heard of it for too long; one timer, moved on only when it fires. */
export class Silence implements Disposable {
  readonly #options: SilenceOptions;
  /** For the request: it comes with silence, with a NetworkError, or with the signal given. */
  readonly end: End = new End();
  #first = 0;
  #last = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #unfollow: (() => void) | undefined;

  constructor(options: SilenceOptions) {
    this.#options = options;
    const { signal } = options;
    const onStop = () => this.end.come(signal?.reason);
    if (signal?.aborted) onStop();
    else if (signal !== undefined) this.#unfollow = followStop(signal, onStop);
  }

  /** From the first byte of the answer to the last one so far. */
  get heldMs(): number {
    return this.#first === 0 ? 0 : this.#last - this.#first;
  }

  /** Begins to listen; before, silence means nothing. */
  watch(): void {
    this.#last = Date.now();
    this.#timer ??= setTimeout(() => this.#look(), toDelay(this.#options.silenceMs));
  }

  heard(): void {
    this.watch();
    this.#first ||= this.#last;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#unfollow?.();
  }

  #look(): void {
    const { silenceMs, sid } = this.#options;
    const left = this.#last + silenceMs - Date.now();
    if (left > 0) {
      this.#timer = setTimeout(() => this.#look(), toDelay(left));
      return;
    }
    const { heldMs } = this;
    this.end.come(new NetworkError(`the connection failed: no byte for ${silenceMs} ms`, { sid, heldMs }));
  }
}
