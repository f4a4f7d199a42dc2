/** What waits for one listener: events as text, the oldest of which make room for new ones. */
export class EventQueue {
  /** How many were dropped since it was made. */
  dropped = 0;
  #events: string[] = [];
  /** Those before it are gone. */
  #first = 0;
  #size = 0;
  readonly #maxCharacters: number;

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  get isEmpty(): boolean {
    return this.#first === this.#events.length;
  }

  push(event: string): void {
    this.#events.push(event);
    this.#size += event.length;
    // One that is too large by itself is kept: it would never be told otherwise.
    while (this.#size > this.#maxCharacters && this.#events.length - this.#first > 1) {
      this.#take();
      this.dropped += 1;
    }
  }

  /** The oldest events, up to about this much; empty if there are none. */
  take(characters: number): string {
    let text = '';
    while (!this.isEmpty && (text === '' || text.length < characters)) text += this.#take();
    return text;
  }

  #take(): string {
    const event = this.#events[this.#first] ?? '';
    this.#first += 1;
    this.#size -= event.length;
    // Not at each event: moving the others costs time in proportion to their number.
    if (this.#first >= 1_000 || this.isEmpty) {
      this.#events = this.#events.slice(this.#first);
      this.#first = 0;
    }
    return event;
  }
}
