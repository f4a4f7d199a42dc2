import type { JsonValue } from 'tiltyard';

/** What a function is called with, and what it must return. */
export type HiddenTest = readonly [args: readonly JsonValue[], expected: JsonValue];

/** A function for the agent to write or to repair. */
export interface Problem {
  readonly functionName: string;
  readonly statement: string;
  /** Files that are in the directory when the episode starts. */
  readonly files?: Readonly<Record<string, string>>;
  readonly tests: readonly HiddenTest[];
}
