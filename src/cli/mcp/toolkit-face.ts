import {
  ClientError,
  type OxpClient,
  OxpServerError,
  OxpToolError,
  OxpValidationError,
  type ToolDefinition,
} from '../../client/index.ts';
import {
  type McpCall,
  type McpFace,
  type McpResult,
  type McpTool,
  type RunningCall,
  toErrorResult,
  toInputSchema,
  UnknownTool,
  withDefaults,
} from '../../mcp/index.ts';
import { compareVersions, type JsonObject } from '../../protocol/index.ts';

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
    tools: () => Array.from(byName, ([name, tool]) => toListed(name, tool)),
    call: (call) => callOf(oxp, byName.get(call.name), call, context),
  };
}

function nameOf({ id }: ToolDefinition): string {
  return id.replace(/@.*$/, '').replace('.', '_');
}

function byVersion(a: ToolDefinition, b: ToolDefinition): number {
  return compareVersions(a.version, b.version);
}

function toListed(name: string, tool: ToolDefinition): McpTool {
  const outputSchema = outputSchemaOf(tool);
  return {
    name,
    description: tool.description,
    inputSchema: toInputSchema(tool.input_schema),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    annotations: withDefaults(undefined),
    _meta: { 'tiltyard/tool_id': tool.id },
  };
}

function outputSchemaOf({ output_schema: schema }: ToolDefinition): JsonObject | undefined {
  return schema === null || schema === undefined || Object.keys(schema).length === 0 ? undefined : schema;
}

function callOf(
  oxp: OxpClient,
  tool: ToolDefinition | undefined,
  { name, input, callId }: McpCall,
  context: ToolkitContext,
): RunningCall {
  if (tool === undefined) return { told: Promise.reject(new UnknownTool(`Tool ${name} not found`)), cancel: () => {} };
  const leaving = new AbortController();
  const told = oxp
    .call(tool.id, input, { context, signal: leaving.signal, ...(callId === undefined ? {} : { callId }) })
    .then(({ value }) => toValue(value, outputSchemaOf(tool)), toFailed);
  return { told, cancel: () => leaving.abort() };
}

function toValue(value: unknown, schema: JsonObject | undefined): McpResult {
  const text = typeof value === 'string' && schema === undefined ? value : JSON.stringify(value);
  return { content: [{ type: 'text', text }], ...(schema === undefined ? {} : { structured: { value, schema } }) };
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
