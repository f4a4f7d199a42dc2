import { createHash } from 'node:crypto';
import type { JsonObject } from '../protocol/index.ts';
import { toCanonical } from './canonical.ts';

/** The hash of a task, whatever the order of its keys: the same hash, the same task. */
export function taskHashOf(task: JsonObject): string {
  return createHash('sha256').update(toCanonical(task)).digest('hex');
}
