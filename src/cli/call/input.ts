import { text as readAll } from 'node:stream/consumers';
import type { JsonObject, JsonValue } from '../../protocol/index.ts';
import { toJsonObject } from '../shared/arguments.ts';
import { misuse } from '../shared/failure.ts';
import { toSafeText } from '../shared/safe-text.ts';
import { type Field, type NamedField, toInputField } from '../shared/schema/field.ts';
import { readValue } from '../shared/schema/read-value.ts';

/** Gives the input for a tool; its schema is asked for only if parameters must be read by it. */
export type ReadInput = (schemaOf: () => Promise<JsonObject | null>) => Promise<JsonObject>;

/** Reads the input of the command line: JSON, `-` for standard input, and single parameters on top of it. */
export async function readInput(json: string | undefined, parameters: readonly string[] = []): Promise<ReadInput> {
  const whole = toObject(json === '-' ? await readAll(process.stdin) : json);
  const named = parameters.map(toParameter);
  return async (schemaOf) => {
    if (named.length === 0) return whole;
    const field = toInputField(await schemaOf());
    const entries = named.map(([name, text]) => [name, toValue(text, name, field)] as const);
    // Not by assignment: a parameter may be named __proto__.
    return { ...whole, ...Object.fromEntries(entries) };
  };
}

function toObject(text: string | undefined): JsonObject {
  if (text === undefined) return {};
  try {
    return toJsonObject(text) as JsonObject;
  } catch (thrown) {
    throw misuse(`invalid input. ${(thrown as Error).message}`);
  }
}

function toParameter(text: string): [name: string, value: string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw misuse(`--input takes name=value, such as --input answer=72, not '${text}'`);
  return [name, value];
}

const ANYTHING = { kind: 'json', nullable: true, schema: {} } as Field;

function toValue(text: string, name: string, input: Field): JsonValue {
  const fields = input.kind === 'object' ? input.fields : [];
  const known = fields.find((each) => each.name === name);
  if (known === undefined && isClosed(input)) throw misuse(toUnknown(name, fields));
  const field = known?.field ?? ANYTHING;
  const read = readValue(text, field);
  if (!read.ok) throw misuse(`--input ${name}: ${read.problem}`);
  return read.value;
}

// Keywords by which a schema takes names that its properties do not list.
const OPENING = ['additionalProperties', 'patternProperties', 'unevaluatedProperties', 'allOf', 'anyOf', 'oneOf', 'if'];

/** Whether all names that an input may have are known. */
function isClosed({ kind, schema }: Field): boolean {
  return kind === 'object' && OPENING.every((keyword) => schema[keyword] === undefined || schema[keyword] === false);
}

function toUnknown(name: string, fields: readonly NamedField[]): string {
  const has = fields.length === 0 ? 'It takes none' : `It has: ${fields.map((each) => each.name).join(', ')}`;
  return toSafeText(`--input ${name}: the tool has no parameter '${name}'. ${has}`);
}
