import type { ToolSpec } from '../../protocol/index.ts';
import { toJsonSchemaTool } from './json-schema.ts';
import type { ObjectSchema } from './root.ts';

/** A function tool of OpenAI's Responses API. */
export interface OpenAITool {
  type: 'function';
  name: string;
  description: string;
  parameters: ObjectSchema;
  strict: false;
}

/** A function tool of OpenAI's Chat Completions, and of all that speak it. */
export interface ChatTool {
  type: 'function';
  function: { name: string; description: string; parameters: ObjectSchema };
}

/** A tool for OpenAI's Responses API. */
export function toOpenAITool(spec: ToolSpec): OpenAITool {
  const { name, description, schema } = toJsonSchemaTool(spec);
  // Said aloud: left out, the Responses API turns optional parameters into required ones.
  return { type: 'function', name, description, parameters: schema, strict: false };
}

/** A tool for Chat Completions, of OpenAI or of OpenRouter. */
export function toChatTool(spec: ToolSpec): ChatTool {
  const { name, description, schema } = toJsonSchemaTool(spec);
  return { type: 'function', function: { name, description, parameters: schema } };
}
