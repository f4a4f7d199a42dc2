import { mostBytes, type ToolOutput, type WireBlock } from '../protocol/index.ts';
import { isBlock, toBlocks } from './content.ts';
import { isStep } from './step.ts';

/** How much of an output an agent gets to see. */
export interface OutputLimits {
  /** Of all its text. */
  readonly maxOutputBytes: number;
  /** Of all its images, as base64. */
  readonly maxImageBytes: number;
}

/** What a tool returned, as the agent sees it. Throws a TypeError for values that cannot be sent. */
export function toToolOutput(value: unknown, limits?: OutputLimits): ToolOutput {
  const output: ToolOutput = isStep(value)
    ? { blocks: [...value.blocks], metadata: value.metadata, reward: value.reward, finished: value.finished }
    : { blocks: contentOf(value), metadata: null, reward: null, finished: false };
  if (output.blocks.length === 0) output.blocks.push({ text: '', detail: null, type: 'text' });
  if (limits !== undefined && !surelyFits(output.blocks, limits)) output.blocks = withinLimits(output.blocks, limits);
  return output;
}

/** Whether a tool returned nothing for the agent to read, which is most likely an oversight. */
export function isEmptyReturn(value: unknown): boolean {
  return (
    value === undefined || (Array.isArray(value) && value.length === 0) || (isStep(value) && value.blocks.length === 0)
  );
}

function contentOf(value: unknown): WireBlock[] {
  if (typeof value === 'string') return toBlocks(value);
  if (value === undefined) return [];
  if (isBlock(value) || (Array.isArray(value) && value.every(isBlock))) return toBlocks(value);
  const json = JSON.stringify(value);
  if (json === undefined)
    throw new TypeError(`a tool must return text, blocks, a JSON value or a step, not a ${typeof value}`);
  return toBlocks(json);
}

// Most outputs are far below the limits, and counting bytes costs more than counting characters.
function surelyFits(blocks: readonly WireBlock[], { maxOutputBytes, maxImageBytes }: OutputLimits): boolean {
  let texts = 0;
  let images = 0;
  for (const block of blocks) {
    if (block.type === 'text') texts += mostBytes(block.text);
    else images += block.data.length;
  }
  return texts <= maxOutputBytes && images <= maxImageBytes;
}

function withinLimits(blocks: readonly WireBlock[], { maxOutputBytes, maxImageBytes }: OutputLimits): WireBlock[] {
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
