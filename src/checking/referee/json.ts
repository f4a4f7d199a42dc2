import { excessIn, isObject, type JsonValue, MAX_ANSWER_BOUNDS } from '../../protocol/index.ts';

/** What a text is as JSON, or undefined if it is none, or more than a stranger's may be. */
export function parsed(text: string): JsonValue | undefined {
  try {
    return excessIn(text, MAX_ANSWER_BOUNDS) === undefined ? JSON.parse(text) : undefined;
  } catch {
    // Not JSON: the caller says what that means.
    return undefined;
  }
}

/** A value as text that is the same for the same JSON, whatever the order of keys. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}
