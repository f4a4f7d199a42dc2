import { NumberMap } from '../../core/index.ts';

/** Something that wants a sign of life at every beat. */
export interface Beating {
  beat(): void;
}

/** One timer for all open streams; it runs only while there are any. */
export class Heartbeat {
  readonly #streams = new NumberMap<Beating>();
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  #count = 0;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** The returned function removes it. */
  add(stream: Beating): () => void {
    this.#count += 1;
    const number = this.#count;
    this.#streams.set(number, stream);
    this.#timer ??= setInterval(() => {
      for (const each of this.#streams.values()) each.beat();
    }, this.#everyMs).unref();
    return () => this.#remove(number);
  }

  #remove(number: number): void {
    this.#streams.delete(number);
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
