/**
 * Whether a requirement is among those that somebody names: a protocol (`ors`), a group (`ors/D`, `D`) or one
 * requirement (`ors/D7`, `D7`). Nothing named means all.
 */
export function isSelected(only: readonly string[], protocol: string, id: string): boolean {
  return only.length === 0 || only.some((each) => matches(each, protocol, id));
}

/** The name of a requirement among those of all protocols, which use the same letters; rules of the lint have theirs. */
export function keyOf(protocol: string, id: string): string {
  return id.startsWith(`${protocol}/`) ? id : `${protocol}/${id}`;
}

function matches(wanted: string, protocol: string, id: string): boolean {
  const [first = '', second] = wanted.split('/');
  if (second !== undefined) return first.toLowerCase() === protocol && isPartOf(second, id);
  return first.toLowerCase() === protocol || isPartOf(first, id);
}

// Letters are a group; with a number they are one requirement, and D1 is not D11.
function isPartOf(wanted: string, id: string): boolean {
  const name = wanted.toLowerCase();
  return name === '' || name === id.toLowerCase() || name === /^[a-z]+/i.exec(id)?.[0]?.toLowerCase();
}
