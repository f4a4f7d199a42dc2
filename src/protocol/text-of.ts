import type { WireBlock } from './ors.ts';

/** The text of all text blocks; an image counts as an empty one. */
export function textOf(blocks: readonly WireBlock[], separator = ''): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join(separator);
}
