import type { JsonObject, ToolSpec, WireBlock } from '../protocol/index.ts';
import type { ResultEvent } from './events.ts';

/** An episode as a whole, for those who play it again. */
export interface RecordedEpisode {
  readonly environment: string;
  /** Which task it was about. */
  readonly choice: RecordedChoice;
  /** The task itself, where it is known. */
  readonly task: JsonObject | undefined;
  readonly tools: readonly ToolSpec[] | undefined;
  /** Undefined where nobody has read it. */
  readonly prompt: readonly WireBlock[] | undefined;
  /** In the order they were made. */
  readonly calls: readonly RecordedCall[];
}

/** A task of a split, or somebody's own. */
export type RecordedChoice = { readonly split: string; readonly index: number } | { readonly task: JsonObject };

/** A call, and what came of it. */
export interface RecordedCall {
  readonly tool: string;
  readonly input: JsonObject;
  /** What is known of its end; undefined if nothing is. */
  readonly told: ToldResult | undefined;
}

/** What was told of a call. What was not written down is left out, and nobody can compare it. */
export interface ToldResult {
  readonly outcome?: ResultEvent['outcome'];
  readonly blocks?: readonly WireBlock[];
  readonly reward?: number | null;
  readonly finished?: boolean;
  readonly metadata?: JsonObject | null;
  readonly failure?: { readonly reason: string; readonly message?: string; readonly code?: string };
}
