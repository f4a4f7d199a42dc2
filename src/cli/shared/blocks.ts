import type { WireBlock } from '../../protocol/index.ts';
import type { Gallery } from './images/gallery.ts';
import { toSafeText } from './safe-text.ts';
import type { Terminal } from './terminal.ts';

/** Prints what a server said: text, and images as the gallery shows them. */
export async function printBlocks(
  blocks: readonly WireBlock[],
  { terminal, gallery, label }: { readonly terminal: Terminal; readonly gallery: Gallery; readonly label: string },
): Promise<void> {
  for (const block of blocks) {
    if (block.type === 'text') terminal.print(toSafeText(String(block.text)));
    else if (block.type === 'image') terminal.print(await gallery.show(block, label));
    // A server of another make may have more kinds.
    else terminal.print(toSafeText(`[a block of type ${(block as { type: unknown }).type}]`));
  }
}
