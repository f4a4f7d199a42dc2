// Only ever with whole characters: a decoder that has once been told to expect more is slow for good.
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });
const NOTHING = new Uint8Array(0);
const BYTE_ORDER_MARK = '\ufeff';

/** Decodes bytes that come in pieces, wherever they were cut. A byte order mark at the start is left out. */
export class Utf8Pieces {
  /** The beginning of a character whose end is still to come. */
  #rest: Uint8Array = NOTHING;
  #isAtStart = true;

  decode(bytes: Uint8Array): string {
    const all = this.#rest.length === 0 ? bytes : join(this.#rest, bytes);
    const whole = all.length - cutLength(all);
    this.#rest = whole === all.length ? NOTHING : all.slice(whole);
    const text = DECODER.decode(all.subarray(0, whole));
    if (!this.#isAtStart || text === '') return text;
    this.#isAtStart = false;
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  }
}

/** How many bytes at the end are the beginning of a character. */
function cutLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
