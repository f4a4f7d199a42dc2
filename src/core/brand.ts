/**
 * Marks what a class makes and returns the function that knows it. On the prototype, so that neither JSON nor a spread
 * copy carries the mark; a registered symbol, so that it holds across two copies of this package, as when the command
 * is installed globally and an environment brings its own.
 */
export function brand<Value extends object>(
  target: { readonly prototype: Value },
  name: string,
): (value: unknown) => value is Value {
  const mark = Symbol.for(`tiltyard.${name}`);
  Object.defineProperty(target.prototype, mark, { value: true });
  return (value): value is Value => {
    if (typeof value !== 'object' || value === null) return false;
    try {
      return mark in value;
    } catch {
      // A proxy whose `has` trap throws is not one of ours.
      return false;
    }
  };
}
