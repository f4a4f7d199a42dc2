/** An entry between its neighbours. */
interface Entry<Value> {
  readonly key: string;
  value: Value;
  older: Entry<Value> | undefined;
  younger: Entry<Value> | undefined;
}

/**
 * A map that finds its oldest entry at once. A Map has an order, too, but what was deleted stays in its table for a while:
 * whoever takes the oldest away, again and again, steps over up to as many empty places as there are entries each time.
 */
export class AgedMap<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  #oldest: Entry<Value> | undefined;
  #youngest: Entry<Value> | undefined;

  get size(): number {
    return this.#entries.size;
  }

  get oldest(): Readonly<Pick<Entry<Value>, 'key' | 'value'>> | undefined {
    return this.#oldest;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** Sets an entry, which is the youngest from then on, also if it was there before. */
  set(key: string, value: Value): void {
    const known = this.#entries.get(key);
    if (known === undefined) {
      const entry: Entry<Value> = { key, value, older: undefined, younger: undefined };
      this.#entries.set(key, entry);
      this.#append(entry);
      return;
    }
    known.value = value;
    if (known === this.#youngest) return;
    this.#detach(known);
    this.#append(known);
  }

  delete(key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#detach(entry);
    return this.#entries.delete(key);
  }

  #append(entry: Entry<Value>): void {
    entry.older = this.#youngest;
    if (this.#youngest === undefined) this.#oldest = entry;
    else this.#youngest.younger = entry;
    this.#youngest = entry;
  }

  #detach(entry: Entry<Value>): void {
    const { older, younger } = entry;
    if (older === undefined) this.#oldest = younger;
    else older.younger = younger;
    if (younger === undefined) this.#youngest = older;
    else younger.older = older;
    // A dead entry that is not collected yet would keep its neighbours from being collected early.
    entry.older = undefined;
    entry.younger = undefined;
  }
}
