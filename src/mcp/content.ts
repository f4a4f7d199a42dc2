import type { Block, ToolAnnotations } from '../core/index.ts';
import type { JsonObject, ToolSpec } from '../protocol/index.ts';
import type { McpContent, McpResult, McpTool } from './face.ts';

/** Blocks as a model reads them over MCP; what programs are told beside them stays here. */
export function toContent(blocks: readonly Block[]): McpContent[] {
  return blocks.map((block) =>
    block.type === 'text'
      ? { type: 'text', text: block.text }
      : { type: 'image', data: block.data, mimeType: block.mimeType },
  );
}

/** A failure that the model reads. */
export function toErrorResult(text: string, meta?: JsonObject): McpResult {
  return { content: [{ type: 'text', text }], isError: true, meta };
}

// Some programs refuse tools that say nothing of themselves, or ask a person each time.
const HARMLESS: ToolAnnotations = { destructiveHint: false, openWorldHint: false };

/** A tool of an episode as MCP lists it. */
export function toMcpTool(
  { name, description, input_schema: schema }: ToolSpec,
  annotations: ToolAnnotations | undefined,
): McpTool {
  return { name, description, inputSchema: toInputSchema(schema), annotations: withDefaults(annotations) };
}

/** What is told of a tool beside its schema. */
export function withDefaults(annotations: ToolAnnotations | undefined): ToolAnnotations {
  return { ...HARMLESS, ...annotations };
}

/** An input schema, which over MCP always says that it is of an object. */
export function toInputSchema(schema: JsonObject | null): JsonObject {
  return schema === null ? { type: 'object', properties: {} } : { ...schema, type: 'object' };
}
