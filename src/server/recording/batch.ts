import { mostBytes } from '../../protocol/index.ts';
import { hasNoBlobs } from '../../records/index.ts';
import type { Entry, ReceivedEntry } from './messages.ts';

const KINDS: readonly ReceivedEntry['kind'][] = [
  'open',
  'prompt',
  'call',
  'result',
  'note',
  'end',
  'suspend',
  'called',
];
const NUMBER_OF_KIND = new Map(KINDS.map((kind, number) => [kind, number]));
const CALLED = KINDS.indexOf('called');

// Of each entry: its kind, how many bytes its text has and how many of them are of the call, and four numbers.
const KIND = 0;
const LENGTH = 4;
const MIDDLE = 8;
const SESSION = 16;
const AT = 24;
const CALL = 32;
const REWARD = 40;
const HEADER_BYTES = 48;

// A little more than a batch has when it is sent, so that it need not grow; the system gives only what is used.
const USUAL_BYTES = 4352 * 1024;

// One is written while the next is filled, and the disk may be slow for a moment.
const MAX_SPARE = 2;

/**
 * Entries on their way to the thread, as bytes that are handed over and not copied. As texts, they would be trees of all the pieces they
 * were made from, which the garbage collector would copy while they wait.
 */
export class Batch {
  #bytes: Buffer = Buffer.allocUnsafeSlow(USUAL_BYTES);
  #view: DataView = new DataView(this.#bytes.buffer);
  #used = 0;
  /** Where the newest entry begins, if it is a call. */
  #newestCall: number | undefined;
  /** New memory for each would bring the next collection of the heap nearer, and the system would have to clear it. */
  readonly #spare: Buffer[] = [];

  get isEmpty(): boolean {
    return this.#used === 0;
  }

  get size(): number {
    return this.#used;
  }

  /** Adds an entry. */
  push({ kind, session, at, call, reward, text }: Entry): void {
    this.#makeRoom(HEADER_BYTES + mostBytes(text));
    const start = this.#used;
    const length = this.#bytes.write(text, start + HEADER_BYTES);
    const view = this.#view;
    view.setUint32(start + KIND, NUMBER_OF_KIND.get(kind) as number);
    view.setUint32(start + LENGTH, length);
    view.setUint32(start + MIDDLE, length);
    view.setFloat64(start + SESSION, session);
    view.setFloat64(start + AT, Math.round(at));
    view.setFloat64(start + CALL, call);
    view.setFloat64(start + REWARD, reward);
    this.#used = start + HEADER_BYTES + length;
    this.#newestCall = kind === 'call' ? start : undefined;
  }

  /** Adds a result to the entry of its call, if that is the newest one and has the same time; says whether it did. */
  pushResult({ call, at, reward, text }: Entry): boolean {
    const start = this.#newestCall;
    if (start === undefined || this.#view.getFloat64(start + CALL) !== call) return false;
    if (this.#view.getFloat64(start + AT) !== Math.round(at)) return false;
    this.#makeRoom(mostBytes(text));
    const view = this.#view;
    const middle = view.getUint32(start + LENGTH);
    const length = this.#bytes.write(text, this.#used);
    view.setUint32(start + KIND, CALLED);
    view.setUint32(start + LENGTH, middle + length);
    view.setFloat64(start + REWARD, reward);
    this.#used += length;
    this.#newestCall = undefined;
    return true;
  }

  /** Gives the bytes away; the batch is empty then. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#bytes.buffer as ArrayBuffer, 0, this.#used);
    this.#use(this.#spare.pop() ?? Buffer.allocUnsafeSlow(USUAL_BYTES));
    this.#used = 0;
    this.#newestCall = undefined;
    return bytes;
  }

  /** Takes back memory that was given away. */
  giveBack(room: ArrayBuffer): void {
    if (room.byteLength === USUAL_BYTES && this.#spare.length < MAX_SPARE) this.#spare.push(Buffer.from(room));
  }

  #makeRoom(bytes: number): void {
    const wanted = this.#used + bytes;
    if (wanted <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(wanted, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#used);
    this.#use(larger);
  }

  #use(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }
}

/** A batch as it arrives. */
export class ReceivedBatch {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  /** One look for all: in most batches there is none. */
  readonly #hasNoBlobs: boolean;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.#bytes = Buffer.from(buffer, byteOffset, byteLength);
    this.#view = new DataView(buffer, byteOffset, byteLength);
    this.#hasNoBlobs = hasNoBlobs(this.#bytes);
  }

  /** Where the entries of each session are, in their order; sessions are in the order in which they are first spoken of. */
  bySession(): Map<number, number[]> {
    const places = new Map<number, number[]>();
    const view = this.#view;
    for (let at = 0; at < view.byteLength; at += HEADER_BYTES + view.getUint32(at + LENGTH)) {
      const session = view.getFloat64(at + SESSION);
      const known = places.get(session);
      if (known === undefined) places.set(session, [at]);
      else known.push(at);
    }
    return places;
  }

  /** The entry at a place. */
  at(place: number): ReceivedEntry {
    const [bytes, view] = [this.#bytes, this.#view];
    const start = place + HEADER_BYTES;
    const end = start + view.getUint32(place + LENGTH);
    return {
      kind: KINDS[view.getUint32(place + KIND)] as ReceivedEntry['kind'],
      session: view.getFloat64(place + SESSION),
      at: view.getFloat64(place + AT),
      call: view.getFloat64(place + CALL),
      reward: view.getFloat64(place + REWARD),
      bytes,
      start,
      middle: start + view.getUint32(place + MIDDLE),
      end,
      hasNoBlobs: this.#hasNoBlobs || hasNoBlobs(bytes.subarray(start, end)),
    };
  }
}

/** The text of an entry. */
export function textOf({ bytes, start, end }: ReceivedEntry): string {
  return bytes.toString('utf8', start, end);
}
