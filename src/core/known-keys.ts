import { DefinitionError } from './errors.ts';

/**
 * Refuses unknown keys. TypeScript would report them, but modules are served without a type check, and a misspelt `input`
 * or `teardown` would be ignored silently.
 */
export function assertKnownKeys(definition: object, known: readonly string[], where: string): void {
  const unknown = Object.keys(definition).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const near = nearestOf(known, unknown);
  const advice = near === undefined ? `Known keys: ${known.join(', ')}` : `Did you mean '${near}'?`;
  throw new DefinitionError(`${where} has an unknown key '${unknown}'. ${advice}`);
}

// More, and it is another word.
const MOST_TYPOS = 2;

/** The known word that is nearest to the written one, if one is near. */
export function nearestOf(known: readonly string[], written: string): string | undefined {
  let nearest: string | undefined;
  let fewest = MOST_TYPOS + 1;
  for (const word of known) {
    const typos = distance(word.toLowerCase(), written.toLowerCase());
    if (typos >= fewest) continue;
    nearest = word;
    fewest = typos;
  }
  return nearest;
}

/** The edit distance between two words. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
