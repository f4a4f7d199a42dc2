import {
  ClientError,
  type OxpClient,
  OxpServerError,
  OxpToolError,
  OxpValidationError,
  type ToolDefinition,
} from '../../client/index.ts';
import {
  listedToolkitTool,
  type McpCall,
  type McpFace,
  type McpResult,
  outputSchemaOf,
  type RunningCall,
  toErrorResult,
  toValueResult,
  unknownCall,
} from '../../mcp/index.ts';
import { compareVersions } from '../../protocol/index.ts';

/** What tools are handed beside their input. */
export interface ToolkitContext {
  readonly secrets: Readonly<Record<string, string>>;
}

/** The tools of any OXP server, the newest version of each, as a client of MCP sees them. */
export function toolkitFace(oxp: OxpClient, definitions: readonly ToolDefinition[], context: ToolkitContext): McpFace {
  const newest = new Map(definitions.toSorted(byVersion).map((tool) => [tool.id.replace(/@.*$/, ''), tool]));
  const byName = new Map(Array.from(newest.values(), (tool) => [nameOf(tool), tool]));
  return {
    name: 'tools',
    tools: () => Array.from(byName, ([name, tool]) => listedToolkitTool(name, tool)),
    call: (call) => callOf(oxp, byName.get(call.name), call, context),
  };
}

function nameOf({ id }: ToolDefinition): string {
  return id.replace(/@.*$/, '').replace('.', '_');
}

function byVersion(a: ToolDefinition, b: ToolDefinition): number {
  return compareVersions(a.version, b.version);
}

function callOf(
  oxp: OxpClient,
  tool: ToolDefinition | undefined,
  { name, input, callId }: McpCall,
  context: ToolkitContext,
): RunningCall {
  if (tool === undefined) return unknownCall(name);
  const leaving = new AbortController();
  const told = oxp
    .call(tool.id, input, { context, signal: leaving.signal, ...(callId === undefined ? {} : { callId }) })
    .then(({ value }) => toValueResult(value, outputSchemaOf(tool)), toFailed);
  return { told, cancel: () => leaving.abort() };
}

function toFailed(thrown: unknown): McpResult {
  if (thrown instanceof OxpToolError) {
    const parts = [thrown.message, thrown.additionalPromptContent].filter((part) => part !== undefined);
    return toErrorResult(parts.join('\n'));
  }
  if (thrown instanceof OxpValidationError) {
    const problems = Object.entries(thrown.parameterErrors).map(([name, problem]) => `${name}: ${problem}`);
    return toErrorResult([thrown.message, ...problems].join('\n'));
  }
  if (thrown instanceof OxpServerError && thrown.missingRequirements !== undefined) {
    const { secrets, authorization, userId } = thrown.missingRequirements;
    const missing = [...secrets, ...authorization.map(({ id }) => id), ...(userId ? ['a user id'] : [])];
    return toErrorResult(`${thrown.message}: ${missing.join(', ')}`);
  }
  if (thrown instanceof ClientError) return toErrorResult(thrown.message);
  throw thrown;
}
