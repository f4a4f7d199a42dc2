import { isObject, type JsonObject, type JsonValue } from '../../protocol/index.ts';

/** An input that a schema takes, as plain as it can be. */
export function generateInput(schema: JsonObject | null): unknown {
  return schema === null ? {} : generate({ type: 'object', ...schema });
}

/** Inputs that a schema does not take; none if it takes anything. */
export function invalidInputs(schema: JsonObject | null): unknown[] {
  if (schema === null || !isObject(schema.properties)) return [];
  const valid = generateInput(schema) as JsonObject;
  const required = Array.isArray(schema.required) ? (schema.required as string[]) : [];
  const missing = required.map((name) => Object.fromEntries(Object.entries(valid).filter(([key]) => key !== name)));
  const wrong = Object.entries(schema.properties)
    .filter(([, property]) => isObject(property) && typeof property.type === 'string')
    .map(([name, property]) => ({ ...valid, [name]: (property as JsonObject).type === 'array' ? {} : [] }));
  return [...missing, ...wrong];
}

function generate(schema: JsonValue | undefined): JsonValue {
  if (!isObject(schema)) return 'a';
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null;
  const options = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(options)) return generate(options[0]);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'object') return generateObject(schema);
  if (type === 'array') return Array.from({ length: Number(schema.minItems ?? 0) }, () => generate(schema.items));
  if (type === 'string') return schema.format === 'date' ? '2024-01-01' : 'a'.repeat(Number(schema.minLength ?? 1));
  if (type === 'number' || type === 'integer')
    return Number(schema.minimum ?? Math.min(1, Number(schema.maximum ?? 1)));
  return type === 'boolean' ? true : type === 'null' ? null : 'a';
}

function generateObject({ properties, required }: JsonObject): JsonObject {
  if (!isObject(properties) || !Array.isArray(required)) return {};
  return Object.fromEntries(required.map((name) => [name, generate(properties[name as string])]));
}
