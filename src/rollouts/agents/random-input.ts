import { isObject, type JsonObject, type JsonValue, resolveRef } from '../../protocol/index.ts';

/** Numbers from 0 up to 1. */
export type Random = () => number;

// A schema that refers to itself could go on for ever.
const MAX_DEPTH = 6;
const MAX_ITEMS = 3;
const WORDS = ['yes', 'no', 'a', 'b', 'left', 'right', 'north', 'hello'];

/** An input for a tool, drawn at random. Mostly one that its schema allows: a tool may refuse what it does not like. */
export function randomInput(schema: JsonObject | null, random: Random): JsonObject {
  const value = draw(schema ?? {}, { root: schema ?? {}, random, depth: 0 });
  return isObject(value) ? (value as JsonObject) : {};
}

interface Drawing {
  readonly root: JsonObject;
  readonly random: Random;
  readonly depth: number;
}

function draw(schema: JsonValue | undefined, drawing: Drawing): JsonValue {
  const { root, random, depth } = drawing;
  if (!isObject(schema) || depth > MAX_DEPTH) return pick(WORDS, random);
  const deeper = { ...drawing, depth: depth + 1 };
  if ('const' in schema) return schema.const as JsonValue;
  if (Array.isArray(schema.enum)) return pick(schema.enum as JsonValue[], random);
  if (typeof schema.$ref === 'string') return draw(resolveRef(root, schema.$ref), deeper);
  const choices = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (choices !== undefined) return draw(pick(choices as JsonValue[], random), deeper);
  if (Array.isArray(schema.allOf)) return drawAll(schema.allOf as JsonValue[], deeper);
  return drawByType(schema as JsonObject, deeper);
}

function drawAll(parts: readonly JsonValue[], drawing: Drawing): JsonValue {
  const values = parts.map((part) => draw(part, drawing));
  const objects = values.filter((value) => isObject(value));
  return objects.length === 0 ? (values[0] ?? null) : (Object.assign({}, ...objects) as JsonObject);
}

function drawByType(schema: JsonObject, drawing: Drawing): JsonValue {
  const { random } = drawing;
  const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? (schema.properties ? 'object' : 'string')];
  switch (pick(types, random)) {
    case 'object':
      return drawObject(schema, drawing);
    case 'array':
      return drawArray(schema, drawing);
    case 'integer':
      return drawNumber(schema, (value) => Math.floor(value), random);
    case 'number':
      return drawNumber(schema, (value) => value, random);
    case 'boolean':
      return random() < 0.5;
    case 'null':
      return null;
    default:
      return drawText(schema, random);
  }
}

function drawObject({ properties, required }: JsonObject, drawing: Drawing): JsonObject {
  const needed = Array.isArray(required) ? required : [];
  const entries = Object.entries(isObject(properties) ? properties : {})
    .filter(([name]) => needed.includes(name) || drawing.random() < 0.5)
    .map(([name, schema]) => [name, draw(schema as JsonValue, drawing)] as const);
  // Not by assignment: a property may be named __proto__.
  return Object.fromEntries(entries);
}

function drawArray({ items, prefixItems, minItems, maxItems }: JsonObject, drawing: Drawing): JsonValue[] {
  const first = Array.isArray(prefixItems) ? prefixItems : [];
  const least = Math.max(first.length, toNumber(minItems) ?? 0);
  const most = Math.min(toNumber(maxItems) ?? Number.POSITIVE_INFINITY, least + MAX_ITEMS);
  const length = least + Math.floor(drawing.random() * (most - least + 1));
  return Array.from({ length }, (_, index) => draw(first[index] ?? items, drawing));
}

function drawNumber(schema: JsonObject, toKind: (value: number) => number, random: Random): number {
  const low = toNumber(schema.minimum) ?? toNumber(schema.exclusiveMinimum) ?? 0;
  const high = toNumber(schema.maximum) ?? toNumber(schema.exclusiveMaximum) ?? low + 100;
  return Math.min(high, toKind(low + random() * (high - low + 1)));
}

// Half of them numbers, which is what many tools ask for as text.
function drawText({ minLength, maxLength }: JsonObject, random: Random): string {
  const text = random() < 0.5 ? String(Math.floor(random() * 100)) : pick(WORDS, random);
  return text.padEnd(toNumber(minLength) ?? 0, 'a').slice(0, toNumber(maxLength) ?? text.length + 1000);
}

function toNumber(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function pick<Each>(from: readonly Each[], random: Random): Each {
  return from[Math.floor(random() * from.length)] as Each;
}
