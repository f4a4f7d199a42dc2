import { ForeignSchemas } from '../../../checking/index.ts';
import type { JsonObject, JsonValue } from '../../../protocol/index.ts';

// One for a command, which has one server; its thread begins with the first value.
const schemas = new ForeignSchemas();

/** What a schema finds wrong with a value, or undefined. A schema that cannot be used finds nothing: the server will look. */
export function checkValue(value: JsonValue, schema: JsonObject): string | undefined {
  return schemas.mistakes(schema, value);
}
