import type { PlayHead } from '../../../src/studio/api.ts';

/** A play with its branches below it. */
export interface BranchNode {
  readonly play: PlayHead;
  readonly depth: number;
}

/** All plays that come from the same beginning as a play, each below the one it is a branch of. */
export function toBranchTree(plays: readonly PlayHead[], id: string): BranchNode[] {
  const known = new Map(plays.map((play) => [play.id, play]));
  let root = known.get(id);
  const seen = new Set<string>();
  // A parent may have been forgotten: then its oldest branch that is left is the beginning.
  while (root?.parent && known.has(root.parent.play) && !seen.has(root.id)) {
    seen.add(root.id);
    root = known.get(root.parent.play);
  }
  if (root === undefined) return [];
  const nodes: BranchNode[] = [];
  const add = (play: PlayHead, depth: number) => {
    if (nodes.some((node) => node.play.id === play.id)) return;
    nodes.push({ play, depth });
    for (const child of plays) if (child.parent?.play === play.id) add(child, depth + 1);
  };
  add(root, 0);
  return nodes;
}
