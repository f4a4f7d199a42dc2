import type { AuthOptions, WebOptions } from '../../server/index.ts';
import type { ModuleProblem } from '../shared/module-problem.ts';
import type { Served } from '../shared/serving/banner.ts';

/** What a version serves, and how. Secrets are in it: it goes to the process by message, never by command line. */
export interface VersionPlan {
  readonly modules: readonly string[];
  readonly auth?: AuthOptions;
  readonly web: WebOptions;
  readonly logLevel: string;
}

/** Where a version writes lines of its log while it is blocked, and cannot send messages. */
export const WATCHDOG_FD = 4;

/** What the command tells the process of a version. */
export type Order =
  | { readonly kind: 'load'; readonly plan: VersionPlan }
  | { readonly kind: 'listen'; readonly port: number; readonly host: string }
  | { readonly kind: 'close' };

/** What the process of a version tells the command. */
export type Report =
  /** It imports this file. */
  | { readonly kind: 'import'; readonly file: string }
  | { readonly kind: 'loaded'; readonly served: Served }
  | { readonly kind: 'broken'; readonly problem: ModuleProblem }
  | { readonly kind: 'listening'; readonly url: string }
  /** The port cannot be had. */
  | { readonly kind: 'unavailable'; readonly message: string }
  /** It has heard that it shall end, and is at it. */
  | { readonly kind: 'closing' }
  /** A line of the server's log. */
  | { readonly kind: 'log'; readonly line: string };
