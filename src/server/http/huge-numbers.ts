/**
 * The place of a number in a parsed text that is too large for JavaScript, such as `input.n`; undefined if there is none. `JSON.parse` makes
 * infinity of it, for which JSON has no word: a journal, a record or another server would have null in its place.
 */
export function placeOfHugeNumber(parsed: unknown): string | undefined {
  return pathOf(parsed)?.join('.');
}

/** How the first infinity in a value is reached. Bodies are not nested so deeply that this would be a danger. */
function pathOf(value: unknown): string[] | undefined {
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) return [];
  if (typeof value !== 'object' || value === null) return undefined;
  // By index: the keys of a long list would be as many texts.
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) {
      const path = pathOf(value[at]);
      if (path !== undefined) return [String(at), ...path];
    }
    return undefined;
  }
  for (const key of Object.keys(value)) {
    const path = pathOf((value as Record<string, unknown>)[key]);
    if (path !== undefined) return [key, ...path];
  }
  return undefined;
}
