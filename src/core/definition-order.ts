// A registered symbol, so that it is read across two copies of this package; not enumerable, so that a definition made
// from another one by a spread gets a place of its own.
const PLACE = Symbol.for('tiltyard.place');

// The only state of this module. What an author calls first comes first: the exports of a module, which are sorted by the
// alphabet, do not tell.
let count = 0;

/** Gives a definition its place: after all that were made before it. */
export function withPlace<Definition extends object>(definition: Definition): Definition {
  count += 1;
  return Object.defineProperty(definition, PLACE, { value: count });
}

/** Compares definitions by when they were made, for `sort`. */
export function byPlace(one: object, other: object): number {
  return placeOf(one) - placeOf(other);
}

// What was not made by this package, or by a version without places, comes last.
function placeOf(definition: object): number {
  return (definition as { [PLACE]?: number })[PLACE] ?? Number.MAX_SAFE_INTEGER;
}
