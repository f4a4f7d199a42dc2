import { hash } from 'node:crypto';

/** A row of numbers from 0 up to, but not including, 1; the same for the same seed and name. Nothing is made before the first one. */
export function chanceOf(seed: number, name: string): () => number {
  let next: (() => number) | undefined;
  return () => {
    next ??= sfc32(hash('sha256', `${seed} ${name}`, 'buffer'));
    return next();
  };
}

/** A seed made from a text: a whole number below 2^48. */
export function seedOf(text: string): number {
  return hash('sha256', text, 'buffer').readUIntBE(0, 6);
}

/** Chris Doty-Humphrey's Small Fast Counter. Never change it: episodes that were begun with it are built again with it. */
function sfc32(start: Buffer): () => number {
  let a = start.readInt32LE(0);
  let b = start.readInt32LE(4);
  let c = start.readInt32LE(8);
  let counter = start.readInt32LE(12);
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return sum >>> 0;
  };
  // 53 bits, as many as a number between 0 and 1 can hold.
  return () => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) / 2 ** 53;
}
