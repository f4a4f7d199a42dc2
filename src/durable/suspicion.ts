import type { SuspectTurns } from './suspect-turns.ts';

// An episode that ends its process again and again must not take the others along each time.
const MAX_ENDS = 2;

/** How many processes an episode has ended, as far as that is known. */
export class Suspicion {
  readonly #turns: SuspectTurns;
  /** Those that only it can have ended. */
  #certain = 0;
  /** Its shares in those that others may have ended as well. */
  #shared = 0;
  #endTurn = () => {};

  constructor(turns: SuspectTurns) {
    this.#turns = turns;
  }

  get isEmpty(): boolean {
    return this.#shared === 0;
  }

  /** Whether it has ended too many. */
  get isHopeless(): boolean {
    return this.#certain + this.#shared >= MAX_ENDS;
  }

  /** Notes that its process has ended, with its part in that. */
  add(charge: number): void {
    this.endTurn();
    if (charge < 1) {
      this.#shared += charge;
      return;
    }
    // It was there when it was one of several suspects, and is the only one now: it has ended both.
    this.#certain += this.isEmpty ? charge : charge + 1;
    this.#shared = 0;
  }

  /** Calls `build` when the episode may go on: at once, unless it and others may have ended a process. */
  whenItsTurn(charge: number, build: () => void): void {
    if (charge === 0 || charge >= 1) build();
    else this.#endTurn = this.#turns.take(charge, build);
  }

  /** Lets the next suspect go on. */
  endTurn(): void {
    this.#endTurn();
    this.#endTurn = () => {};
  }

  /** It has done once more what it was doing then, and its process lives: somebody else has ended that one. */
  clear(): void {
    this.#shared = 0;
    this.endTurn();
  }
}
