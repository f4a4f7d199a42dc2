// Of the suspects of one end at most this part goes on at a time. If it happens again, there are half as many suspects, and one in the end.
const PART = 0.5;

// One whose call takes longer does not keep the others waiting.
const TURN_MS = 30_000;

interface Turn {
  readonly share: number;
  readonly begin: () => void;
  timer?: NodeJS.Timeout;
}

/** Keeps apart the episodes that may have ended a process: it shows which one it was when not all of them are there the next time. */
export class SuspectTurns {
  readonly #waiting = new Set<Turn>();
  readonly #taken = new Set<Turn>();

  /** Calls `begin` when it is the turn of an episode with this share in the end of its process; returns what ends its turn. */
  take(share: number, begin: () => void): () => void {
    const turn: Turn = { share, begin };
    this.#waiting.add(turn);
    this.#next();
    return () => this.#end(turn);
  }

  #next(): void {
    for (const turn of this.#waiting) {
      let taken = 0;
      for (const { share } of this.#taken) taken += share;
      if (taken > 0 && taken + turn.share > PART) return;
      this.#waiting.delete(turn);
      this.#taken.add(turn);
      turn.timer = setTimeout(() => this.#end(turn), TURN_MS).unref();
      turn.begin();
    }
  }

  #end(turn: Turn): void {
    clearTimeout(turn.timer);
    this.#waiting.delete(turn);
    if (this.#taken.delete(turn)) this.#next();
  }
}
