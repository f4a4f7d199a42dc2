/** Who keeps results, and can let go of one. */
export interface Keeper {
  /** Whether the result of this id is still kept. */
  isKept(id: string): boolean;
  /** Forgets the result of this id, if it is still kept. */
  release(id: string): void;
}

// Not the result itself: it would live on in here when its session has ended.
interface Entry {
  readonly keeper: Keeper;
  readonly id: string;
  next: Entry | undefined;
}

/** Bounds what all keepers keep together: the oldest goes first, whoever keeps it. */
export class KeptTotal {
  readonly #maxBytes: number;
  #bytes = 0;
  #oldest: Entry | undefined;
  #newest: Entry | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Notes a result that is kept from now on; older ones make room for it, and it stays whatever its size. */
  add(keeper: Keeper, id: string, bytes: number): void {
    this.#bytes += bytes;
    const entry: Entry = { keeper, id, next: undefined };
    if (this.#newest === undefined) this.#oldest = entry;
    else this.#newest.next = entry;
    this.#newest = entry;
    let oldest = this.#oldest;
    while (oldest !== undefined && oldest !== entry && (this.#bytes > this.#maxBytes || !isKept(oldest))) {
      oldest.keeper.release(oldest.id);
      oldest = oldest.next;
    }
    this.#oldest = oldest;
  }

  /** Notes that so much is no longer kept. */
  free(bytes: number): void {
    this.#bytes -= bytes;
  }
}

function isKept({ keeper, id }: Entry): boolean {
  return keeper.isKept(id);
}
