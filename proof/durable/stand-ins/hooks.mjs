/** By the address of the file they stand in for. */
let standIns = new Map();

/** Takes what `register.mjs` was told. */
export function initialize(pairs) {
  standIns = new Map(pairs);
}

/** Gives a stand-in to all who ask for its file, except the stand-in itself. */
export async function resolve(specifier, context, next) {
  const resolved = await next(specifier, context);
  const standIn = standIns.get(resolved.url);
  return standIn === undefined || context.parentURL === standIn ? resolved : { ...resolved, url: standIn };
}
