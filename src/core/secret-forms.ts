import { SHORTEST_HUGE, type WantedText } from './text-finder.ts';

// Of huge secrets only the beginning is looked for, which is within as much of any form of this.
const HEAD = 1024;

/**
 * The ways in which a secret may stand in a text: as it is, trimmed, in JSON, in hex, and in base64. Other escapes are not among
 * them: they are read in the text instead.
 */
export function* formsOf(secret: string): Generator<WantedText> {
  const trimmed = secret.trim();
  yield whole(secret);
  yield whole(trimmed);
  // Also if what stands before it makes its escapes look like others.
  yield whole(JSON.stringify(trimmed).slice(1, -1));
  // The others have the trimmed one in them wherever they have the whole one.
  const isHuge = trimmed.length >= SHORTEST_HUGE;
  const bytes = Buffer.from(isHuge ? trimmed.slice(0, HEAD) : trimmed);
  const byteLength = isHuge ? Buffer.byteLength(trimmed) : bytes.length;
  const hex = bytes.toString('hex');
  for (const start of [hex, hex.toUpperCase()]) yield { start, length: byteLength * 2 };
  for (const before of [0, 1, 2] as const) {
    for (const { start, length } of base64Forms(bytes, byteLength, before)) {
      yield { start, length };
      const urlSafe = start.replaceAll('+', '-').replaceAll('/', '_');
      if (urlSafe !== start) yield { start: urlSafe, length };
    }
  }
}

function whole(text: string): WantedText {
  return { start: text, length: text.length };
}

// How many characters depend on the bytes before.
const FOREIGN_CHARACTERS = [0, 2, 3] as const;

// Enough to be nothing else.
const ENDING = 16;

/**
 * What is always there of some bytes in base64, when so many bytes stand before them in their group of three, as a user's name does
 * in basic authorization; and how it ends if nothing follows.
 */
function* base64Forms(bytes: Buffer, byteLength: number, before: 0 | 1 | 2): Generator<WantedText> {
  const foreign = FOREIGN_CHARACTERS[before];
  const padded = Buffer.concat([Buffer.alloc(before), bytes])
    .toString('base64')
    .slice(foreign);
  const certainLength = Math.floor(((before + byteLength) * 8) / 6) - foreign;
  if (byteLength > bytes.length) return yield { start: padded, length: certainLength };
  yield whole(padded.slice(0, certainLength));
  if (certainLength === padded.length) return;
  const ending = padded.slice(-ENDING);
  yield whole(ending);
  yield whole(ending.replace(/=+$/, ''));
}
