/** Where a worker writes why it ends, or is blocked: at once, since its messages would come too late. One object of JSON a line. */
export const GUARD_FD = 4;

/** Where the watchdog of a worker writes its lines: the file in which the server's own writes. */
export const WATCHDOG_FD = 5;

/** What a worker says when it cannot send messages. */
export interface LastWords {
  /** It took more memory than it may. */
  readonly memory?: string;
  /** Whose code has ended it, by the number of its session; without one, of no episode. */
  readonly culprit?: { readonly session?: number | undefined };
  /** The number of the order that has blocked it; 0: what blocks it is none, but goes on after an `await`. */
  readonly blocking?: number;
}

/** Reads what a worker wrote there; what is not ours is left out. */
export function readLastWords(lines: readonly string[]): LastWords {
  let words: LastWords = {};
  for (const line of lines) {
    try {
      const read: unknown = JSON.parse(line);
      if (typeof read === 'object') words = { ...words, ...read };
    } catch {
      // Authors' code can write there as well.
    }
  }
  return words;
}
