import { createHash } from 'node:crypto';
import { type CatalogTool, isTooDeep, TiltyardError, toCanonical } from '../../core/index.ts';
import type { JsonObject } from '../../protocol/index.ts';

// Shorter than a result, and cheaper than a hash.
const KEPT_AS_IT_IS = 256;

/**
 * What is asked of which tool and for whom, to tell a repeat from a key that is used twice. Not with which secrets:
 * tokens are renewed between two attempts.
 */
export function fingerprintOf({ definition }: CatalogTool, input: JsonObject, userId: string | undefined): string {
  if (isTooDeep(input)) throw new TiltyardError('invalid_input', 'Is nested too deeply');
  const asked = toCanonical([definition.id, userId ?? null, input]);
  if (asked.length <= KEPT_AS_IT_IS) return asked;
  // A hash, because it is kept for as long as the result is, and an input may have megabytes.
  return createHash('sha256').update(asked).digest('base64');
}
