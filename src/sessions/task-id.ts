import { randomBytes } from 'node:crypto';

/** Makes ids of 32 hex characters, unique in this process and, by their random half, across processes. */
export function taskIds(): () => string {
  const prefix = randomBytes(8).toString('hex');
  let count = 0;
  return () => prefix + (count++).toString(16).padStart(16, '0');
}
