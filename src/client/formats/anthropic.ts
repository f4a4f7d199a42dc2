import type { ToolSpec } from '../../protocol/index.ts';
import { toJsonSchemaTool } from './json-schema.ts';
import type { ObjectSchema } from './root.ts';

/** A tool of Anthropic's Messages API. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: ObjectSchema;
}

/** A tool for Anthropic's Messages API. */
export function toAnthropicTool(spec: ToolSpec): AnthropicTool {
  const { name, description, schema } = toJsonSchemaTool(spec);
  return { name, description, input_schema: schema };
}
