/** Something that wants a sign of life at every beat. */
export interface Beating {
  beat(): void;
}

/** One timer for all open streams; it runs only while there are any. */
export class Heartbeat {
  readonly #streams = new Set<Beating>();
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  add(stream: Beating): void {
    this.#streams.add(stream);
    this.#timer ??= setInterval(() => {
      for (const each of this.#streams) each.beat();
    }, this.#everyMs).unref();
  }

  remove(stream: Beating): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
