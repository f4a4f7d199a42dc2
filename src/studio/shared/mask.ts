import { redactValue, type Secrets } from '../../core/index.ts';

/** The same value with secrets taken out of all of it, keys included. */
export function mask<Value>(value: Value, secrets: Secrets): Value {
  return Object.keys(secrets).length === 0 ? value : (redactValue(value, secrets) as Value);
}
