/** Where a worker writes why it ends: at once, since its messages would come too late. One object of JSON a line. */
export const GUARD_FD = 4;

/** Where the watchdog of a worker writes its lines: the file in which the server's own writes. */
export const WATCHDOG_FD = 5;

/** What a worker says at its end. */
export interface LastWords {
  /** It took more memory than it may. */
  readonly memory?: string;
  /** Whose code has ended it; without a `sid`, of no episode. */
  readonly culprit?: { readonly sid?: string | undefined };
}

/** Reads what a worker wrote there; what is not ours is left out. */
export function readLastWords(text: string): LastWords {
  let words: LastWords = {};
  for (const line of text.split('\n')) {
    try {
      const read: unknown = JSON.parse(line);
      if (typeof read === 'object') words = { ...words, ...read };
    } catch {
      // Authors' code can write there as well, and the last line is empty.
    }
  }
  return words;
}
