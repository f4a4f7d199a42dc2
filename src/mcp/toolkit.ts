import { isContent, type ToolAnnotations, toBlocks } from '../core/index.ts';
import type { JsonObject, ToolDefinition } from '../protocol/index.ts';
import { toContent, toInputSchema, withDefaults } from './content.ts';
import { type McpResult, type McpTool, type RunningCall, UnknownTool } from './face.ts';

/** A tool of a toolkit as MCP lists it. */
export function listedToolkitTool(name: string, definition: ToolDefinition, annotations?: ToolAnnotations): McpTool {
  const outputSchema = outputSchemaOf(definition);
  return {
    name,
    description: definition.description,
    inputSchema: toInputSchema(definition.input_schema),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    annotations: withDefaults(annotations),
    _meta: { 'tiltyard/tool_id': definition.id },
  };
}

/** What a tool promises of its value; undefined where it promises nothing. */
export function outputSchemaOf({ output_schema: schema }: ToolDefinition): JsonObject | undefined {
  return schema === null || Object.keys(schema).length === 0 ? undefined : schema;
}

/** What a tool returned; `json` is the same as it was sent, where that is known. */
export function toValueResult(
  value: unknown,
  schema: JsonObject | undefined,
  json: string = JSON.stringify(value),
): McpResult {
  if (schema !== undefined) return { content: [{ type: 'text', text: json }], structured: { value, schema } };
  if (isContent(value)) return { content: toContent(toBlocks(value)) };
  return { content: [{ type: 'text', text: typeof value === 'string' ? value : json }] };
}

/** A call of a tool that is not there. */
export function unknownCall(name: string): RunningCall {
  return { told: Promise.reject(new UnknownTool(`Tool ${name} not found`)), cancel: () => {} };
}
