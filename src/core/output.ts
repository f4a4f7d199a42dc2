import { mostBytes, type ToolOutput, type WireBlock } from '../protocol/index.ts';
import { isBlock, toBlocks } from './content.ts';
import { isStep } from './step.ts';

/** What a tool returned, as the agent shall see it. Throws a TypeError for what no agent can see. */
export function toToolOutput(value: unknown, maxOutputBytes?: number): ToolOutput {
  const output: ToolOutput = isStep(value)
    ? { blocks: [...value.blocks], metadata: value.metadata, reward: value.reward, finished: value.finished }
    : { blocks: contentOf(value), metadata: null, reward: null, finished: false };
  if (output.blocks.length === 0) output.blocks.push({ text: '', detail: null, type: 'text' });
  if (maxOutputBytes !== undefined && !surelyFits(output.blocks, maxOutputBytes))
    output.blocks = withinBytes(output.blocks, maxOutputBytes);
  return output;
}

/** Whether a tool gave its agent nothing to see, which is most likely an oversight. */
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

// Most outputs are far below the limit, and counting bytes costs more than counting characters.
function surelyFits(blocks: readonly WireBlock[], limit: number): boolean {
  let most = 0;
  for (const block of blocks) if (block.type === 'text') most += mostBytes(block.text);
  return most <= limit;
}

function withinBytes(blocks: WireBlock[], limit: number): WireBlock[] {
  let left = limit;
  return blocks.map((block) => {
    if (block.type !== 'text') return block;
    const bytes = Buffer.byteLength(block.text);
    const kept = bytes <= left ? block.text : cut(block.text, left);
    left = Math.max(0, left - bytes);
    return kept === block.text
      ? block
      : { ...block, text: `${kept}\n[output cut: ${Buffer.byteLength(kept)} of ${bytes} bytes shown]` };
  });
}

function cut(text: string, bytes: number): string {
  const head = Buffer.from(text).subarray(0, bytes);
  // A cut inside a code point leaves a replacement character at the end.
  return head.toString().replace(/\ufffd+$/, '');
}
