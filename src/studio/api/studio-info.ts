import type { Target } from './targets.ts';

/** What the studio is. */
export interface StudioInfo {
  readonly version: string;
  /** What it was started with, for the page to open first. */
  readonly opened: 'targets' | 'runs' | 'records' | 'jobs';
  readonly targets: readonly Target[];
  /** How many runs and records there are; records may be more than this says while they are counted. */
  readonly runs: number;
  readonly records: number;
}

/** The answer of what only does something. */
export interface Done {
  readonly done: true;
}
