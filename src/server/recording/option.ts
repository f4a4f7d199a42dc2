import { objectOf, type Rule, wholeNumber } from '../../core/index.ts';
import { aFolder, type OptionRules } from '../options.ts';

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

const { folder, ...optional }: OptionRules<RecordOption> = {
  folder: aFolder,
  maxBytes: wholeNumber('bytes', { least: LEAST_BYTES }),
};

/** What can be given as `record`. */
export const recordRule: Rule = objectOf({ required: { folder }, optional });
