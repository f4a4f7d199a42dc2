import { isObject, type JsonObject, type JsonValue } from '../../protocol/index.ts';
import { accepts } from './accepts.ts';

/** An input that a schema does not allow. */
export interface InvalidInput {
  /** What is wrong with it. */
  readonly what: string;
  readonly input: JsonObject;
}

/** A small input that a tool's schema allows, or undefined if none could be made. */
export function generateInput(schema: JsonObject | null): JsonObject | undefined {
  if (schema === null) return {};
  const value = generate({ type: 'object', ...schema });
  return isObject(value) && accepts(schema)(value) ? value : undefined;
}

/** Inputs that a tool's schema does not allow; none if it allows anything. */
export function generateInvalidInputs(schema: JsonObject | null): InvalidInput[] {
  const valid = generateInput(schema);
  if (schema === null || valid === undefined || !isObject(schema.properties)) return [];
  const required = Array.isArray(schema.required) ? (schema.required as string[]) : [];
  const missing = required.map((name) => ({
    what: `without '${name}'`,
    input: Object.fromEntries(Object.entries(valid).filter(([key]) => key !== name)),
  }));
  const wrong = Object.keys(schema.properties).map((name) => ({
    what: `with an object as '${name}'`,
    input: { ...valid, [name]: { unexpected: [null] } },
  }));
  return [...missing, ...wrong].filter(({ input }) => !accepts(schema)(input));
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
