import { isObject } from '../protocol/index.ts';
import { redactWhole, type Secrets } from './redact.ts';

/** A JSON value without secrets, neither in its texts nor in its keys nor in its numbers. It stays JSON, whatever the secrets are. */
export function redactValue(value: unknown, secrets: Secrets): unknown {
  if (typeof value === 'string') return redactWhole(value, secrets);
  if (typeof value === 'number') return redactNumber(value, secrets);
  if (Array.isArray(value)) return value.map((each) => redactValue(each, secrets));
  if (!isObject(value)) return value;
  // Not by assignment: a key may be __proto__.
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [redactWhole(key, secrets), redactValue(each, secrets)]),
  );
}

// A PIN may be sent as a number.
function redactNumber(value: number, secrets: Secrets): number | string {
  const text = String(value);
  const redacted = redactWhole(text, secrets);
  return redacted === text ? value : redacted;
}
