import type { Awaitable, ToolAnnotations } from '../core/index.ts';
import type { JsonObject, WireBlock } from '../protocol/index.ts';

/** What a client sees at one address: an episode, or toolkits. The same over HTTP and over stdio. */
export interface McpFace {
  /** The name that the server tells of itself. */
  readonly name: string;
  /** What the model of a client is told when it connects. */
  instructions?(): Awaitable<string | undefined>;
  tools(): Awaitable<readonly McpTool[]>;
  /** Starts a call. */
  call(call: McpCall): RunningCall;
  /** The task, where clients may ask for it. */
  prompt?(): Promise<readonly WireBlock[]>;
}

/** A tool as it is listed. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: ToolAnnotations | undefined;
  readonly _meta?: JsonObject;
}

/** A call as it came. */
export interface McpCall {
  readonly name: string;
  /** Taken over by the call. */
  readonly input: JsonObject;
  /** The id of its request: for the log, since clients use the same ones again and again. */
  readonly mcpId: string;
  /** An id that the client chose for this call alone, so that a repeat does not run it again. */
  readonly callId: string | undefined;
}

/** A call while it runs. */
export interface RunningCall {
  /** Rejects only with `UnknownTool`. */
  readonly told: Promise<McpResult>;
  /** Says that nobody waits for it any more: the tool hears it from its signal. */
  cancel(): void;
}

/** What is told of a call that has ended. */
export interface McpResult {
  readonly content: readonly McpContent[];
  /** A value that fits the tool's output schema. */
  readonly structured?: { readonly value: unknown; readonly schema: JsonObject };
  readonly isError?: true;
  readonly meta?: JsonObject | undefined;
}

/** What a model reads. */
export type McpContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string };

/** A call of something that is not there. */
export class UnknownTool extends Error {
  override name = 'UnknownTool';
}
