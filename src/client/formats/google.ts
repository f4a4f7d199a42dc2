import type { JsonObject, ToolSpec } from '../../protocol/index.ts';
import { type GoogleSchema, toGoogleSchema } from './google-schema.ts';
import { withForms } from './json-schema.ts';
import { inlineRefs } from './refs.ts';
import { toObjectRoot } from './root.ts';

/** A function declaration of Google's Gemini API and of Vertex AI. */
export interface GoogleTool {
  name: string;
  description: string;
  parameters?: GoogleSchema;
}

/** A function declaration for Google; without parameters if the tool takes none, because Google refuses an empty object. */
export function toGoogleTool({ name, description, input_schema }: ToolSpec): GoogleTool {
  const { schema, forms } = toObjectRoot(inlineRefs(input_schema ?? {}, 'all'));
  const tool = { name, description: withForms(description, forms) };
  const { properties, additionalProperties = false, patternProperties } = schema;
  const takesNone = Object.keys(properties).length === 0 && additionalProperties === false && !patternProperties;
  return takesNone ? tool : { ...tool, parameters: toGoogleSchema(schema as JsonObject) };
}
