import type { Level } from '../../checking/index.ts';

/** The options of `tiltyard check`. */
export interface CheckCommandOptions {
  readonly active?: boolean;
  /** The name of one environment, or true for all: then they are checked, and not the server. */
  readonly environment?: string | true;
  readonly samples?: number;
  readonly seed?: number;
  readonly rewardRange?: readonly [min: number, max: number];
  readonly only?: readonly string[];
  readonly secret?: readonly string[];
  readonly level: Level;
  readonly strict?: boolean;
  readonly baseline?: string;
  readonly writeBaseline?: string;
  readonly junit?: string;
  readonly timeout?: number;
  readonly setupTimeout?: number;
  readonly verbose?: boolean;
  readonly json?: boolean;
}

/** Those options, with the secrets that they name. */
export type CheckRun = CheckCommandOptions & { readonly secrets: Readonly<Record<string, string>> };
