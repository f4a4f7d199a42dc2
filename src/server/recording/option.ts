import { DefinitionError, type Rule } from '../../core/index.ts';
import { isObject } from '../../protocol/index.ts';

/** Where a server records the episodes of its clients. */
export interface RecordOption {
  /** It is made if it is not there. */
  readonly folder: string;
  /** How much may be in it; when there is more, the oldest records are deleted. Default: 10 GB. */
  readonly maxBytes?: number;
}

/** What a folder of records takes unless told otherwise. */
export const DEFAULT_MAX_BYTES: number = 10e9;

// Less would be gone before anybody has read it.
const LEAST_BYTES = 1e6;

const KEYS: ReadonlySet<string> = new Set(['folder', 'maxBytes']);

/** What can be given as `record`. */
export const recordRule: Rule = (value, place) => {
  if (!isObject(value) || Object.keys(value).some((key) => !KEYS.has(key)))
    throw new DefinitionError(`${place} must be { folder, maxBytes }`);
  const { folder, maxBytes = DEFAULT_MAX_BYTES } = value;
  if (typeof folder !== 'string' || folder === '')
    throw new DefinitionError(`${place}.folder must be the path of a folder`);
  if (!Number.isSafeInteger(maxBytes) || (maxBytes as number) < LEAST_BYTES)
    throw new DefinitionError(`${place}.maxBytes must be a number of bytes, at least ${LEAST_BYTES} (1 MB)`);
};
