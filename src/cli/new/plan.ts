import type { Kind } from './kinds.ts';
import type { Choices } from './template.ts';

/** The options of `tiltyard new`. */
export interface NewOptions {
  readonly kind?: Kind;
  readonly name?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Where a project goes, and what it is. */
export interface Plan extends Choices {
  readonly folder: string;
}
