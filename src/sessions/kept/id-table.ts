// Few: most sessions have few ids to remember. A power of two, so that a mask finds a slot.
const FIRST_SLOTS = 16;

// Moving the ids of a larger table would hold up everybody else for too long.
const MAX_SLOTS = 8_192;

// With more than three of four slots taken, looking for a free one takes long.
const MAX_LOAD = 0.75;

// How many tables a full one becomes: as many as these bits tell apart.
const BRANCH_BITS = 4;
const BRANCHES = 2 ** BRANCH_BITS;

/**
 * A set of hashes of 64 bits, each given as two halves, to which more can only be added. In plain arrays of numbers outside
 * the heap, of 11 to 22 bytes for each of many hashes, which cost the garbage collector nothing.
 */
export class IdTable {
  /** Which bits of the high half are not the same in all of this table. */
  readonly #shift: number;
  // Two numbers for each slot; both are 0 where it is free.
  #slots: Uint32Array = new Uint32Array(2 * FIRST_SLOTS);
  /** What it has become, once it was full. */
  #branches: IdTable[] | undefined;
  #size = 0;
  #bytes: number = this.#slots.byteLength;

  constructor(shift = 0) {
    this.#shift = shift;
  }

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  has(high: number, low: number): boolean {
    if (this.#branches !== undefined) return this.#branchOf(this.#branches, high).has(high, low);
    return !this.#isFree(this.#find(high >>> 0, low >>> 0));
  }

  add(high: number, low: number): void {
    if (this.#branches === undefined && this.#size + 1 > MAX_LOAD * (this.#slots.length / 2)) this.#grow();
    if (this.#branches !== undefined) this.#addBelow(this.#branchOf(this.#branches, high), high, low);
    else if (this.#put(high >>> 0, low >>> 0)) this.#size += 1;
  }

  #addBelow(branch: IdTable, high: number, low: number): void {
    const { size, bytes } = branch;
    branch.add(high, low);
    this.#size += branch.size - size;
    this.#bytes += branch.bytes - bytes;
  }

  #put(high: number, low: number): boolean {
    const at = this.#find(high, low);
    if (!this.#isFree(at)) return false;
    this.#slots[at] = high;
    this.#slots[at + 1] = low;
    return true;
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
    const old = this.#slots;
    if (old.length < 2 * MAX_SLOTS) this.#slots = new Uint32Array(2 * old.length);
    else this.#branch();
    this.#size = 0;
    this.#bytes = this.#branches?.reduce((sum, { bytes }) => sum + bytes, 0) ?? this.#slots.byteLength;
    for (let at = 0; at < old.length; at += 2) {
      const [high, low] = [old[at] as number, old[at + 1] as number];
      if (high !== 0 || low !== 0) this.add(high, low);
    }
  }

  #branch(): void {
    this.#slots = new Uint32Array();
    this.#branches = Array.from({ length: BRANCHES }, () => new IdTable(this.#shift + BRANCH_BITS));
  }
}
