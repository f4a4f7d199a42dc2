// Few: most sessions have few ids to remember. A power of two, so that a mask finds a slot.
const FIRST_SLOTS = 16;

// Moving the ids of a larger table would hold up everybody else for too long.
const MAX_SLOTS = 8_192;

// With more than three of four slots taken, looking for a free one takes long.
const MAX_LOAD = 0.75;

// How many tables a full one becomes: as many as these bits tell apart.
const BRANCH_BITS = 4;
const BRANCHES = 2 ** BRANCH_BITS;

/** What stands for a hash that is not in a table. */
export const ABSENT = -1;

/**
 * A map from hashes of 64 bits, each given as two halves, to numbers; nothing is ever taken out of it. Plain arrays of
 * numbers outside the heap: 21 to 43 bytes for each of many hashes, at no cost to the garbage collector.
 */
export class IdTable {
  /** Which bits of the high half differ within this table. */
  readonly #shift: number;
  // Two halves for each slot; both are 0 where it is free. Signed, since V8 makes objects of unsigned ones that are large.
  #slots: Int32Array;
  #numbers: Float64Array;
  /** What it has become, once it was full. */
  #branches: IdTable[] | undefined;
  #size = 0;
  #bytes: number;

  constructor(shift = 0, slots: number = FIRST_SLOTS) {
    this.#shift = shift;
    this.#slots = new Int32Array(2 * slots);
    this.#numbers = new Float64Array(slots);
    this.#bytes = bytesOf(slots);
  }

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The number of a hash, or ABSENT. */
  get(high: number, low: number): number {
    if (this.#branches !== undefined) return this.#branchOf(this.#branches, high).get(high, low);
    const at = this.#find(high | 0, low | 0);
    return this.#isFree(at) ? ABSENT : (this.#numbers[at >> 1] as number);
  }

  set(high: number, low: number, number: number): void {
    if (this.#branches === undefined && this.#size + 1 > MAX_LOAD * this.#numbers.length) this.#grow();
    if (this.#branches !== undefined) this.#setBelow(this.#branchOf(this.#branches, high), high, low, number);
    else this.#put(high | 0, low | 0, number);
  }

  /** Forgets everything, and keeps the room for it. */
  clear(): void {
    this.#size = 0;
    this.#slots.fill(0);
    for (const branch of this.#branches ?? []) branch.clear();
  }

  #setBelow(branch: IdTable, high: number, low: number, number: number): void {
    const { size, bytes } = branch;
    branch.set(high, low, number);
    this.#size += branch.size - size;
    this.#bytes += branch.bytes - bytes;
  }

  #put(high: number, low: number, number: number): void {
    const at = this.#find(high, low);
    if (this.#isFree(at)) this.#size += 1;
    this.#slots[at] = high;
    this.#slots[at + 1] = low;
    this.#numbers[at >> 1] = number;
  }

  /** Where a hash stands, or would stand: in the slot that its low half names, or in the next free one. */
  #find(high: number, low: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let at = (low << 1) & mask;
    while (!this.#isFree(at) && (slots[at] !== high || slots[at + 1] !== low)) at = (at + 2) & mask;
    return at;
  }

  #isFree(at: number): boolean {
    return this.#slots[at] === 0 && this.#slots[at + 1] === 0;
  }

  #branchOf(branches: readonly IdTable[], high: number): IdTable {
    return branches[(high >>> this.#shift) & (BRANCHES - 1)] as IdTable;
  }

  #grow(): void {
    const [slots, numbers] = [this.#slots, this.#numbers];
    if (numbers.length < MAX_SLOTS) {
      this.#slots = new Int32Array(2 * slots.length);
      this.#numbers = new Float64Array(2 * numbers.length);
    } else this.#branch();
    this.#size = 0;
    this.#bytes = this.#branches?.reduce((sum, { bytes }) => sum + bytes, 0) ?? bytesOf(this.#numbers.length);
    for (let at = 0; at < slots.length; at += 2) {
      const [high, low] = [slots[at] as number, slots[at + 1] as number];
      if (high !== 0 || low !== 0) this.set(high, low, numbers[at >> 1] as number);
    }
  }

  #branch(): void {
    this.#slots = new Int32Array();
    this.#numbers = new Float64Array();
    // Twice as many slots in all, as if it grew: otherwise each branch would grow from the least by itself.
    const slots = (2 * MAX_SLOTS) / BRANCHES;
    this.#branches = Array.from({ length: BRANCHES }, () => new IdTable(this.#shift + BRANCH_BITS, slots));
  }
}

function bytesOf(slots: number): number {
  return slots * (2 * Int32Array.BYTES_PER_ELEMENT + Float64Array.BYTES_PER_ELEMENT);
}
