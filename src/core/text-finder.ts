/** A text to look for. */
export interface WantedText {
  /** The text, or as much of its beginning as `LONGEST_WINDOW`. */
  readonly start: string;
  /** How long the whole of it is. */
  readonly length: number;
}

/** Called with each place where a text was found, from `start` to before `end`. */
export type OnFound = (start: number, end: number) => void;

/** The shortest text that can be looked for. */
export const SHORTEST_TEXT = 4;

// Shorter texts are looked for as a whole. Longer ones in pieces, side by side, of which the last ends where the text does: all of
// them are there where the text is, and what was cut off somewhere is found as well.
const SHORTEST_CUT = 64;
const PIECE = 32;

/** The most characters that are looked at together. */
export const LONGEST_WINDOW = 512;

/** Of texts from this length on only the beginning is looked for, and all of the length is found: they cost no more than others. */
export const SHORTEST_HUGE = 4096;

/**
 * Looks for many texts at once, as Rabin and Karp do: by a hash of each window of the text. The time depends on lengths alone,
 * not on what the texts hold. It finds every occurrence; once in some 10^18 windows it may find what is not there.
 */
export class TextFinder {
  readonly #starts: HashTable;
  readonly #windows: readonly WindowTable[];
  /** The shortest text that something can be found in. */
  readonly #shortest: number;

  constructor(wanted: Iterable<WantedText>) {
    const byLength = new Map<number, HashEntry[]>();
    const starts: HashEntry[] = [];
    for (const { start, length } of wanted) {
      for (const window of windowsOf(length)) {
        const entries = byLength.get(window.size) ?? [];
        byLength.set(window.size, entries);
        entries.push(toEntry(start, window));
        starts.push(toEntry(start, { ...window, size: SHORTEST_TEXT }));
      }
    }
    this.#starts = new HashTable(starts);
    this.#windows = Array.from(byLength, ([size, entries]) => ({ size, table: new HashTable(entries) }));
    this.#shortest = Math.min(...byLength.keys());
  }

  find(text: string, onFound: OnFound): void {
    if (text.length < this.#shortest) return;
    const hashes = new RunningHashes(text);
    const candidates: number[] = [];
    hashes.find({ size: SHORTEST_TEXT, table: this.#starts }, (start) => candidates.push(start));
    if (candidates.length === 0) return;
    for (const windows of this.#windows) {
      hashes.find(windows, (start, found) => onFound(start, Math.min(start + found, text.length)), candidates);
    }
  }
}

/** A part of a wanted text that is looked for as one. */
interface Window {
  readonly from: number;
  readonly size: number;
  /** How much is found with it. */
  readonly found: number;
}

interface WindowTable {
  readonly size: number;
  readonly table: HashTable;
}

function* windowsOf(length: number): Generator<Window> {
  if (length < SHORTEST_TEXT) return;
  if (length < SHORTEST_CUT) return yield { from: 0, size: length, found: length };
  if (length >= SHORTEST_HUGE) return yield { from: 0, size: LONGEST_WINDOW, found: length };
  for (let from = 0; from + PIECE < length; from += PIECE) yield { from, size: PIECE, found: PIECE };
  yield { from: length - PIECE, size: PIECE, found: PIECE };
}

// Nobody may know them: who chooses both the secrets and the text would choose them so that their hashes meet.
const FIRST_BASE = randomOdd();
const SECOND_BASE = randomOdd();

function randomOdd(): number {
  return (Math.random() * 2 ** 32) | 1;
}

function toEntry(text: string, { from, size, found }: Window): HashEntry {
  let [first, second] = [0, 0];
  for (let at = from; at < from + size; at += 1) {
    const unit = text.charCodeAt(at) + 1;
    first = (Math.imul(first, FIRST_BASE) + unit) | 0;
    second = (Math.imul(second, SECOND_BASE) + unit) | 0;
  }
  return { first, second, found };
}

/** The hashes of all beginnings of a text; that of any window is the difference of two. */
class RunningHashes {
  readonly #first: Int32Array;
  readonly #second: Int32Array;

  constructor(text: string) {
    this.#first = new Int32Array(text.length + 1);
    this.#second = new Int32Array(text.length + 1);
    let [first, second] = [0, 0];
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at) + 1;
      first = (Math.imul(first, FIRST_BASE) + unit) | 0;
      second = (Math.imul(second, SECOND_BASE) + unit) | 0;
      this.#first[at + 1] = first;
      this.#second[at + 1] = second;
    }
  }

  /** Tells of each window that is in the table, and what is found with it; of those at candidates only, if there are any given. */
  find(
    { size, table }: WindowTable,
    onFound: (start: number, found: number) => void,
    candidates?: readonly number[],
  ): void {
    const [first, second] = [this.#first, this.#second];
    const firstPower = power(FIRST_BASE, size);
    const secondPower = power(SECOND_BASE, size);
    const count = candidates?.length ?? first.length - size;
    for (let index = 0; index < count; index += 1) {
      const from = candidates === undefined ? index : (candidates[index] as number);
      const to = from + size;
      // Candidates are in order: the others are nearer to the end.
      if (to >= first.length) return;
      const found = table.get(
        ((first[to] as number) - Math.imul(first[from] as number, firstPower)) | 0,
        ((second[to] as number) - Math.imul(second[from] as number, secondPower)) | 0,
      );
      if (found > 0) onFound(from, found);
    }
  }
}

function power(base: number, exponent: number): number {
  let result = 1;
  for (let times = 0; times < exponent; times += 1) result = Math.imul(result, base);
  return result;
}

/** The two hashes of a window, and how much is found with it. */
interface HashEntry {
  readonly first: number;
  readonly second: number;
  readonly found: number;
}

// An entry is three numbers of one array; a free one has 0 for the last.
const WIDTH = 3;

/** What is found with each window, by its hashes: in one plain array, of which at most half is in use. */
class HashTable {
  readonly #slots: Int32Array;
  readonly #mask: number;

  constructor(entries: readonly HashEntry[]) {
    const size = 2 ** Math.ceil(Math.log2(entries.length * 2));
    this.#slots = new Int32Array(size * WIDTH);
    this.#mask = size - 1;
    for (const { first, second, found } of entries) {
      const slot = this.#find(first, second);
      this.#slots[slot] = first;
      this.#slots[slot + 1] = second;
      this.#slots[slot + 2] = Math.max(found, this.#slots[slot + 2] as number);
    }
  }

  /** How much is found with a window; 0 if it is not here. */
  get(first: number, second: number): number {
    return this.#slots[this.#find(first, second) + 2] as number;
  }

  /** Where an entry is, or the free place where it belongs. */
  #find(first: number, second: number): number {
    const slots = this.#slots;
    let index = (first ^ (first >>> 15)) & this.#mask;
    for (;;) {
      const slot = index * WIDTH;
      if (slots[slot + 2] === 0 || (slots[slot] === first && slots[slot + 1] === second)) return slot;
      index = (index + 1) & this.#mask;
    }
  }
}
