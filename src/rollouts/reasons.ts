/** Why attempts did not finish, and how many of them. */
export interface Reason {
  readonly why: string;
  readonly count: number;
}

// Five reasons are enough to act on; details may all differ.
const [MAX_TOLD, MAX_KNOWN, MAX_CHARACTERS] = [5, 1_000, 200];

/** Counts why attempts did not finish. */
export class Reasons {
  readonly #counts = new Map<string, number>();

  add(detail: string | undefined): void {
    // What follows is what a program has printed.
    const [why = ''] = detail?.split('\n', 1) ?? [];
    const text = why.slice(0, MAX_CHARACTERS);
    if (text === '' || (this.#counts.size >= MAX_KNOWN && !this.#counts.has(text))) return;
    this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
  }

  /** The most frequent ones first. */
  get top(): readonly Reason[] {
    return Array.from(this.#counts, ([why, count]) => ({ why, count }))
      .sort((one, other) => other.count - one.count)
      .slice(0, MAX_TOLD);
  }
}
