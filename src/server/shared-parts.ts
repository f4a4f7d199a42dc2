import type { KeptResults } from '../sessions/index.ts';
import type { Observation } from './observe/observation.ts';

/** What a server brings along for all of its protocols; one that is mounted in an app has only the app. */
export interface SharedParts {
  readonly observation?: Observation;
  /** Where the results of all calls are kept, under one limit. */
  readonly kept?: KeptResults;
}
