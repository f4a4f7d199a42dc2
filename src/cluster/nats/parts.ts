// A message of NATS has a limit (1 MB unless its operator says otherwise); what is longer goes in parts.

/** How much of a limit is left for headers and subjects. */
const HEADROOM = 4_096;

/** Cuts bytes into parts that fit; one if they do as they are. */
export function toParts(bytes: Uint8Array, maxPayload: number): Uint8Array[] {
  const most = Math.max(1, maxPayload - HEADROOM);
  if (bytes.length <= most) return [bytes];
  return Array.from({ length: Math.ceil(bytes.length / most) }, (_, index) =>
    bytes.subarray(index * most, (index + 1) * most),
  );
}

/** One part of a message. */
export interface Part {
  readonly index: number;
  readonly count: number;
  readonly bytes: Uint8Array;
}

/** Puts the parts of one message together, which come in order; undefined while some are missing. */
export class PartsReader {
  #parts: Uint8Array[] = [];

  add({ index, count, bytes }: Part): Uint8Array | undefined {
    if (index === 0) this.#parts = [];
    // Its beginning is missing: it was cut off, and begun anew later.
    if (index !== this.#parts.length) return undefined;
    this.#parts.push(bytes);
    if (this.#parts.length < count) return undefined;
    const [only] = this.#parts;
    const whole = count === 1 && only !== undefined ? only : Buffer.concat(this.#parts);
    this.#parts = [];
    return whole;
  }
}
