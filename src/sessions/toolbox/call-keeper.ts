import type { Failure } from '../../core/index.ts';
import type { RunListener } from '../call.ts';
import type { CallEnding } from '../call-ending.ts';
import type { ToolRun, ToolRuntime } from './tool-runtime.ts';

/**
 * Runs tools and keeps their calls for after this process, by the ids of callers. A toolbox without one is not concerned: nothing of
 * it is loaded.
 */
export interface CallKeeper extends ToolRuntime {
  /** Why no call may begin now that has to be kept; undefined if it may. */
  readonly refusal: Failure | undefined;
  /** What is kept under an id of a caller's. */
  recall(identity: string, callId: string): RecalledToolCall | undefined;
  /** Runs a tool for a caller who may come back: that it begins is kept before it runs, and how it ended before that is told. */
  runKept(run: ToolRun, asked: KeptRequest, listener: RunListener): void;
}

/** By what a call is known when it is repeated, besides its id. */
export interface KeptRequest {
  readonly identity: string;
  readonly fingerprint: string;
  /** From 1. */
  readonly attempt: number;
}

/** What is kept of a call. */
export type RecalledToolCall = {
  /** A digest of what was asked. */
  readonly asked: string;
} & (
  | { readonly kind: 'ended'; readonly ending: CallEnding; readonly durationMs: number }
  /** It may have run, and must not run again. */
  | { readonly kind: 'unknown'; readonly ending: CallEnding }
  /** It may have run so many times, and may run again. */
  | { readonly kind: 'unfinished'; readonly attempts: number }
);
