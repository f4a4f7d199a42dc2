/** The results of so many calls are kept, and freed, together. */
export const PAGE_CALLS = 1024;

/** Memory is handed out in pieces of this size; no result is larger than what a page's first block has for results. */
export const BLOCK_BYTES: number = 64 * 1024;

// Memory outside the heap that comes and goes brings the next collection of the whole heap nearer, which costs more than all
// else about keeping results. So all blocks have one size and are used again, and they are cut from slabs, of which the system
// only gives what is written to. Each slab is as large as all before it: at full load a collection follows each of them.
const MIN_SLAB_BLOCKS = 96;
const MAX_SLAB_BLOCKS = 1024;

// What a server with little to do needs now and then; without these it would go through slab after slab.
const IDLE_BLOCKS = 16;

/** Hands out blocks of memory, with anything in them. */
export class BlockPool {
  readonly #maxBlocks: number;
  #slab: ArrayBuffer | undefined;
  /** How many more blocks can be cut from the slab, and how many there are in all. */
  #left = 0;
  #cut = 0;
  #spare: Buffer[] = [];

  /** `maxBytes` is about how much will be in use at the most. */
  constructor(maxBytes: number) {
    this.#maxBlocks = Math.max(1, Math.min(MAX_SLAB_BLOCKS, Math.floor(maxBytes / BLOCK_BYTES)));
  }

  take(): Buffer {
    return this.#spare.pop() ?? this.#cutBlock();
  }

  giveBack(blocks: readonly Buffer[]): void {
    this.#spare.push(...blocks);
  }

  /** Frees the blocks that nobody has needed since the last time, but for a few. */
  sweep(): void {
    this.#cut -= this.#spare.splice(IDLE_BLOCKS).length;
  }

  /** Frees everything, when no block is in use. */
  clear(): void {
    this.#spare = [];
    this.#slab = undefined;
    this.#cut = 0;
  }

  #cutBlock(): Buffer {
    if (this.#slab === undefined || this.#left === 0) {
      this.#left = Math.min(this.#maxBlocks, Math.max(MIN_SLAB_BLOCKS, this.#cut));
      // Of Buffer, because it does not fill it with zeros.
      this.#slab = Buffer.allocUnsafeSlow(this.#left * BLOCK_BYTES).buffer as ArrayBuffer;
    }
    this.#left -= 1;
    this.#cut += 1;
    return Buffer.from(this.#slab, this.#left * BLOCK_BYTES, BLOCK_BYTES);
  }
}

const { BYTES_PER_ELEMENT: WORD } = Uint32Array;
const INDEX_BYTES = PAGE_CALLS * (Float64Array.BYTES_PER_ELEMENT + 5 * WORD + Uint16Array.BYTES_PER_ELEMENT);

/** Small results of calls with neighbouring numbers. What an array has belongs to the call at the same place. */
export class Page {
  readonly keptAt: Float64Array;
  readonly owners: Uint32Array;
  readonly durations: Uint32Array;
  readonly checksums: Uint32Array;
  /** How many bytes of a text are the fingerprint of its call, which comes first. */
  readonly fingerprints: Uint16Array;
  /** Where a text begins: in which block, and where in it. */
  readonly starts: Uint32Array;
  /** 0 where there is none: JSON is never empty. */
  readonly lengths: Uint32Array;
  newestAt = 0;
  /** The block for the next text, what is before it in others, and how much of it is taken. The arrays are at the beginning of the first. */
  block: Buffer;
  blockStart = 0;
  used: number = INDEX_BYTES;
  readonly #pool: BlockPool;
  readonly #blocks: Buffer[];

  constructor(pool: BlockPool) {
    this.#pool = pool;
    this.block = pool.take();
    this.#blocks = [this.block];
    const { buffer, byteOffset } = this.block;
    let at = byteOffset;
    const next = (bytesEach: number) => {
      at += PAGE_CALLS * bytesEach;
      return at - PAGE_CALLS * bytesEach;
    };
    const words = () => new Uint32Array(buffer, next(WORD), PAGE_CALLS);
    // The widest first, so that each begins where its elements may.
    this.keptAt = new Float64Array(buffer, next(Float64Array.BYTES_PER_ELEMENT), PAGE_CALLS);
    this.owners = words();
    this.durations = words();
    this.checksums = words();
    this.starts = words();
    this.lengths = words().fill(0);
    this.fingerprints = new Uint16Array(buffer, next(Uint16Array.BYTES_PER_ELEMENT), PAGE_CALLS);
  }

  /** How much memory it takes. */
  get bytes(): number {
    return this.#blocks.length * BLOCK_BYTES;
  }

  /** Takes another block. */
  grow(): void {
    this.block = this.#pool.take();
    this.blockStart = this.bytes;
    this.used = 0;
    this.#blocks.push(this.block);
  }

  /** The bytes of the text of a call; undefined if it has none. */
  at(at: number): Buffer | undefined {
    const length = this.lengths[at] as number;
    if (length === 0) return undefined;
    const start = this.starts[at] as number;
    const offset = start % BLOCK_BYTES;
    return this.#blocks[(start - offset) / BLOCK_BYTES]?.subarray(offset, offset + length);
  }

  /** Gives back its memory; nothing may be asked of it any more. */
  free(): void {
    this.#pool.giveBack(this.#blocks);
  }
}
