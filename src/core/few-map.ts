/**
 * A map that mostly has one entry or none, and is filled and emptied again and again. V8 makes a new table whenever a `Map` becomes empty,
 * and in old memory if the map is old: a few of them, used by each call, bring about a collection of the whole heap every second. Here the
 * first entry needs no table. Entries have no order.
 */
export class FewMap<Key, Value extends NonNullable<unknown>> {
  #key: Key | undefined;
  /** Undefined where there is no first entry. */
  #value: Value | undefined;
  #others: Map<Key, Value> | undefined;

  get size(): number {
    return (this.#value === undefined ? 0 : 1) + (this.#others?.size ?? 0);
  }

  get(key: Key): Value | undefined {
    return this.#value !== undefined && this.#key === key ? this.#value : this.#others?.get(key);
  }

  set(key: Key, value: Value): void {
    const isFirst = this.#value === undefined ? this.#others?.has(key) !== true : this.#key === key;
    if (!isFirst) {
      this.#others ??= new Map();
      this.#others.set(key, value);
      return;
    }
    this.#key = key;
    this.#value = value;
  }

  /** Returns whether there was such an entry. */
  delete(key: Key): boolean {
    if (this.#value === undefined || this.#key !== key) return this.#others?.delete(key) ?? false;
    this.#key = undefined;
    this.#value = undefined;
    return true;
  }

  clear(): void {
    this.#key = undefined;
    this.#value = undefined;
    this.#others = undefined;
  }

  /** All entries, as they are now. */
  entries(): [Key, Value][] {
    const others = [...(this.#others ?? [])];
    return this.#value === undefined ? others : [[this.#key as Key, this.#value], ...others];
  }

  /** The same without keys. */
  values(): Value[] {
    return this.entries().map(([, value]) => value);
  }
}
