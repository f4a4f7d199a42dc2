import { isObject, type JsonObject, type JsonValue } from '../../protocol/index.ts';
import { type Accepts, accepts } from './accepts.ts';
import { generateValue } from './generate-value.ts';

/** An input that a schema does not allow. */
export interface InvalidInput {
  /** What is wrong with it: "without 'answer'". */
  readonly what: string;
  /** The property that is wrong. */
  readonly property: string;
  readonly input: JsonObject;
}

const MAX_INVALID = 12;

// Long enough for several events, and mostly what framings lose: indentation, other white space, wide characters.
const LONG_TEXT = `${' '.repeat(40)}x\u00a0\u2028\u3000🙂\n`.repeat(400);

// No server turns this into a number, a text or a truth value, however lenient it is.
const FOREIGN: JsonObject = { unexpected: [null] };

/** A small input that a tool's schema allows, or undefined if none could be made. */
export function generateInput(schema: JsonObject | null): JsonObject | undefined {
  if (schema === null) return {};
  const value = generateValue(schema, schema);
  return isObject(value) && accepts(schema)(value) ? value : undefined;
}

/** An input with a long text in it, or undefined if the schema has no place for one. */
export function generateLongInput(schema: JsonObject | null): JsonObject | undefined {
  const input = generateInput(schema);
  if (schema === null || input === undefined) return undefined;
  const isAllowed = accepts(schema);
  return propertiesOf(schema)
    .map(([name]) => ({ ...input, [name]: LONG_TEXT }))
    .find((candidate) => isAllowed(candidate));
}

/** Inputs that a tool's schema does not allow, each for one reason, and none that leniency could mend. */
export function generateInvalidInputs(schema: JsonObject | null): InvalidInput[] {
  const input = generateInput(schema);
  if (schema === null || input === undefined) return [];
  const isAllowed: Accepts = accepts(schema);
  return [...mistakes(schema, input)].filter(({ input: wrong }) => !isAllowed(wrong)).slice(0, MAX_INVALID);
}

function* mistakes(schema: JsonObject, input: JsonObject): Generator<InvalidInput> {
  for (const name of Array.isArray(schema.required) ? schema.required : []) {
    if (typeof name !== 'string') continue;
    const { [name]: _left, ...rest } = input;
    yield { what: `without '${name}'`, property: name, input: rest };
  }
  for (const [name, property] of propertiesOf(schema)) {
    for (const [what, value] of wrongValues(property)) {
      yield { what: `with ${what} as '${name}'`, property: name, input: { ...input, [name]: value } };
    }
  }
}

function* wrongValues(property: JsonObject): Generator<[what: string, value: JsonValue]> {
  const { enum: allowed, minimum, maximum, type } = property;
  if (type === 'object' || type === 'array') yield ['a text', 'unexpected'];
  else yield ['an object', FOREIGN];
  if (Array.isArray(allowed)) yield ['a value that is not listed', 'tiltyard: not in the list'];
  if (typeof minimum === 'number') yield ['a number below the minimum', Math.floor(minimum) - 1];
  if (typeof maximum === 'number') yield ['a number above the maximum', Math.ceil(maximum) + 1];
  if (type === 'array') yield ['an item of the wrong type', [FOREIGN]];
  if (type === 'object') yield ['an object that lacks what it needs', {}];
}

function propertiesOf({ properties }: JsonObject): [name: string, schema: JsonObject][] {
  return Object.entries(isObject(properties) ? properties : {}).filter((entry): entry is [string, JsonObject] =>
    isObject(entry[1]),
  );
}
