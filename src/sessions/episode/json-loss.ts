import { types } from 'node:util';

/** What JSON would turn into something else without a word, and where: `a Map at 'bought'`. Not -0, which few can tell from 0. */
export function whatJsonLoses(value: unknown): string | undefined {
  return lossIn(value, '');
}

function lossIn(value: unknown, path: string): string | undefined {
  const kind = lostKind(value);
  if (kind !== undefined) return path === '' ? kind : `${kind} at '${path}'`;
  if (typeof value !== 'object' || value === null) return undefined;
  // It says itself what it is in JSON.
  if ('toJSON' in value) return undefined;
  if (Array.isArray(value)) {
    // Not `entries`, so that holes are seen as well.
    for (let at = 0; at < value.length; at += 1) {
      const loss = value[at] === undefined ? `nothing at '${path}[${at}]'` : lossIn(value[at], `${path}[${at}]`);
      if (loss !== undefined) return loss;
    }
    return undefined;
  }
  for (const [key, each] of Object.entries(value)) {
    const loss = lossIn(each, path === '' ? key : `${path}.${key}`);
    if (loss !== undefined) return loss;
  }
  return undefined;
}

function lostKind(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : String(value);
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'symbol') return 'a symbol';
  return LOST.find(([is]) => is(value))?.[1];
}

const LOST: readonly (readonly [is: (value: unknown) => boolean, kind: string])[] = [
  [types.isDate, 'a Date'],
  [types.isMap, 'a Map'],
  [types.isSet, 'a Set'],
  [types.isRegExp, 'a RegExp'],
  [types.isNativeError, 'an Error'],
  [types.isTypedArray, 'a typed array'],
  [types.isAnyArrayBuffer, 'an ArrayBuffer'],
  [types.isPromise, 'a Promise'],
];
