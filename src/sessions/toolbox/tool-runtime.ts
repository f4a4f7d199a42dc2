import type { RunListener } from '../call.ts';
import type { RunEnding } from '../call-ending.ts';
import type { GivenRequirements } from './requirements.ts';
import type { ToolManifest } from './tool-host.ts';

/** One run of a tool outside any episode. */
export interface ToolRun extends GivenRequirements {
  /** The number of its call. */
  readonly call: number;
  /** Its name in the log, and what its tool sees as `callId`. */
  readonly callId: string;
  /** From 1, which is the default; more when a run before it was lost with its process. */
  readonly attempt?: number | undefined;
  /** The whole id of a tool of the manifest. */
  readonly toolId: string;
  /** Taken over by the run. */
  readonly input: unknown;
  readonly traceId: string | undefined;
}

/** Where the code of toolkits runs: in this process or in another. All data across it. */
export interface ToolRuntime {
  readonly tools: readonly ToolManifest[];
  /** Whether a tool takes an input; the refusal if it does not. */
  check(toolId: string, input: unknown): Promise<RunEnding | undefined>;
  /** Checks an input and runs a tool. */
  run(run: ToolRun, listener: RunListener): void;
  /** Aborts a run; resolves when its tool has ended, or does not listen. */
  abort(call: number, reason: string): Promise<void>;
}
