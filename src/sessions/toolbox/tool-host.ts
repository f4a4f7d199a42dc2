import type { Effects, ToolAnnotations, ToolRequirements } from '../../core/index.ts';
import type { ToolDefinition, WireCallContext } from '../../protocol/index.ts';
import type { TraceHeaders } from '../events.ts';
import type { CallListener } from '../host.ts';

/** A tool of a toolkit as callers see it, and what it asks of them. */
export interface ToolManifest {
  readonly definition: ToolDefinition;
  readonly requirements: ToolRequirements;
  readonly scopes: readonly string[];
  readonly canRetry: boolean;
  /** Whether a call may be run again after a crash. */
  readonly effects: Effects;
  /** What its author says of it over MCP. */
  readonly annotations: ToolAnnotations | undefined;
}

/** What a caller asks for when it calls a tool outside any episode. */
export interface ToolRequest {
  /** As the caller gave it: `Mail.Send`, `Mail.Send@1`. */
  readonly toolId: string;
  /** Whether the input is an object is checked like the rest of it. Taken over by the call. */
  readonly input: unknown;
  /** About how much memory the request takes. Default: nothing worth counting. */
  readonly bytes?: number;
  /** The caller's own id of the call; without one there can be no repeat, and a caller that leaves aborts it. */
  readonly callId: string | undefined;
  readonly context: WireCallContext | undefined;
  readonly traceId: string | undefined;
  /** Who calls; empty where nobody is known. */
  readonly identity: string;
  /** What the caller may do; undefined: everything. */
  readonly scopes: ReadonlySet<string> | undefined;
  /** The id of the MCP request that it came with; undefined over OXP. */
  readonly mcpId?: string | undefined;
  readonly trace?: TraceHeaders | undefined;
}

/** Where the tools of toolkits are called: the sibling of `SessionHost`, and all data like it. */
export interface ToolHost {
  readonly tools: readonly ToolManifest[];
  /** Starts a call, or attaches to the one that has its id. Never throws. The returned function says that the caller left. */
  call(request: ToolRequest, on: CallListener): () => void;
  /** Whether no further call is taken. */
  readonly isDraining: boolean;
  /** Takes no more calls, lets those that run end for a while, then aborts them. Once, however often it is asked. */
  drain(): Promise<void>;
}

/** Whether a caller may see a tool at all. */
export function isVisible(scopes: ReadonlySet<string> | undefined, tool: Pick<ToolManifest, 'scopes'>): boolean {
  return scopes === undefined || tool.scopes.every((scope) => scopes.has(scope));
}
