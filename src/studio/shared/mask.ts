import { redactWhole, type Secrets } from '../../core/index.ts';

/** The same value with secrets taken out of all of its texts, keys included. */
export function mask<Value>(value: Value, secrets: Secrets): Value {
  if (Object.keys(secrets).length === 0) return value;
  return maskIn(value, secrets) as Value;
}

function maskIn(value: unknown, secrets: Secrets): unknown {
  if (typeof value === 'string') return redactWhole(value, secrets);
  if (Array.isArray(value)) return value.map((each) => maskIn(each, secrets));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [redactWhole(key, secrets), maskIn(each, secrets)]),
  );
}
