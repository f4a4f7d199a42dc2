import { hash } from 'node:crypto';

// 128 bits: no two episodes have the same one.
const CHARACTERS = 22;

/** Where the records of a key are: a word that says nothing of whose it is. */
export function placeOf(key: string): string {
  return hash('sha256', key, 'base64url').slice(0, CHARACTERS);
}

/** The node that looks after a place, of those that there are: all who know the same nodes choose the same one. */
export function keeperOf(place: string, nodes: Iterable<string>): string | undefined {
  let [best, highest]: [string?, string?] = [];
  for (const node of nodes) {
    const weight = hash('sha256', `${place} ${node}`);
    if (highest !== undefined && weight <= highest) continue;
    [best, highest] = [node, weight];
  }
  return best;
}
