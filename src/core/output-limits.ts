import type { WireBlock } from '../protocol/index.ts';

/** How much of an output an agent gets to see. */
export interface OutputLimits {
  /** Of all its text. */
  readonly maxOutputBytes: number;
  /** Of all its images, as base64. */
  readonly maxImageBytes: number;
}

/** As much of some blocks as the limits allow; what is missing is told in its place. */
export function withinLimits(
  blocks: readonly WireBlock[],
  { maxOutputBytes, maxImageBytes }: OutputLimits,
): WireBlock[] {
  let textLeft = maxOutputBytes;
  let imagesLeft = maxImageBytes;
  return blocks.map((block): WireBlock => {
    if (block.type === 'text') {
      const bytes = Buffer.byteLength(block.text);
      const kept = bytes <= textLeft ? block.text : firstBytes(block.text, textLeft);
      textLeft = Math.max(0, textLeft - bytes);
      if (kept === block.text) return block;
      return { ...block, text: `${kept}\n[output cut: ${Buffer.byteLength(kept)} of ${bytes} bytes shown]` };
    }
    // Half an image is none, but a smaller one may still fit.
    const bytes = block.data.length;
    if (bytes > imagesLeft)
      return { text: `[image left out: ${bytes} bytes, ${imagesLeft} allowed]`, detail: block.detail, type: 'text' };
    imagesLeft -= bytes;
    return block;
  });
}

/** As much of a text as fits into so many bytes of UTF-8. */
function firstBytes(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  let end = bytes;
  // Back to where a code point begins: its further bytes all look like 10xxxxxx.
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return encoded.toString('utf8', 0, end);
}
