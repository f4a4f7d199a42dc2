const FIRST_SLOTS = 16;

/**
 * A map by whole numbers for what comes and goes with each call. When a `Map` has been filled and emptied for a while, V8 moves its entries into a
 * new table, to which the former one refers. Once one of them has become old, all that follow become old with it, with all that was in
 * them, until the whole heap is collected: half of all memory that calls use while they wait for something. Here an entry that is
 * deleted leaves nothing behind. Entries have no order.
 */
export class NumberMap<Value extends NonNullable<unknown>> {
  #keys: number[] = new Array(FIRST_SLOTS).fill(0);
  /** Undefined where a slot is free. */
  #values: (Value | undefined)[] = new Array(FIRST_SLOTS).fill(undefined);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: number): Value | undefined {
    return this.#values[this.#find(key)];
  }

  set(key: number, value: Value): void {
    // Half of them free: so few others stand in the way of one.
    if (2 * this.#size >= this.#values.length) this.#grow();
    const at = this.#find(key);
    if (this.#values[at] === undefined) this.#size += 1;
    this.#keys[at] = key;
    this.#values[at] = value;
  }

  /** Returns whether there was such an entry. */
  delete(key: number): boolean {
    const mask = this.#values.length - 1;
    let free = this.#find(key);
    if (this.#values[free] === undefined) return false;
    this.#size -= 1;
    this.#values[free] = undefined;
    // Those behind it that could not have the slot they wanted come nearer to it: a search ends at the first free one.
    for (let at = (free + 1) & mask; this.#values[at] !== undefined; at = (at + 1) & mask) {
      const wanted = (this.#keys[at] as number) & mask;
      if (((at - wanted) & mask) < ((at - free) & mask)) continue;
      this.#keys[free] = this.#keys[at] as number;
      this.#values[free] = this.#values[at];
      this.#values[at] = undefined;
      free = at;
    }
    return true;
  }

  clear(): void {
    this.#values.fill(undefined);
    this.#size = 0;
  }

  /** All entries, as they are now. */
  entries(): [number, Value][] {
    return this.#values.flatMap((value, at) => (value === undefined ? [] : [[this.#keys[at] as number, value]]));
  }

  /** The same without keys. */
  values(): Value[] {
    return this.#values.filter((value) => value !== undefined);
  }

  /** Where a key stands, or would stand: in the slot that it wants, or in the next free one. */
  #find(key: number): number {
    const mask = this.#values.length - 1;
    let at = key & mask;
    while (this.#values[at] !== undefined && this.#keys[at] !== key) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const entries = this.entries();
    const slots = 2 * this.#values.length;
    this.#keys = new Array(slots).fill(0);
    this.#values = new Array(slots).fill(undefined);
    for (const [key, value] of entries) {
      const at = this.#find(key);
      this.#keys[at] = key;
      this.#values[at] = value;
    }
  }
}
