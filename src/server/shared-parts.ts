import type { Transfers } from './http/transfers.ts';
import type { Observation } from './observe/observation.ts';

/** What a server brings along for all of its protocols; one that is mounted in an app has only the app. */
export interface SharedParts {
  readonly observation?: Observation;
  /** What clients make the server hold, under one limit. */
  readonly transfers?: Transfers;
}
