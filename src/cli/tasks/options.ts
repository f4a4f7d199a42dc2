/** How many tasks a page has unless told otherwise. */
export const DEFAULT_COUNT = 20;

/** The options of `tiltyard tasks`. */
export interface TasksOptions {
  readonly environment?: string;
  readonly split?: string;
  readonly from: number;
  readonly count: number;
  readonly json?: boolean;
}
