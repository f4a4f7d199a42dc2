import type { JsonValue } from '../../../protocol/index.ts';
import { toSafeText } from '../safe-text.ts';
import type { Field } from './field.ts';
import { toTypeText } from './type-text.ts';

/** A value out of a text that somebody typed, or what is wrong with it. */
export type Read = { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly problem: string };

/** Reads a typed text as what the field asks for: text as it is, numbers, true and false, JSON for the rest. */
export function readValue(text: string, field: Field): Read {
  if (field.nullable && text.trim() === 'null') return value(null);
  switch (field.kind) {
    case 'string':
      return value(text);
    case 'number':
    case 'integer':
      return readNumber(text, field);
    case 'boolean':
      return readBoolean(text);
    case 'null':
      return text.trim() === 'null' ? value(null) : problem('it can only be null');
    case 'choice':
      return readChoice(text, field);
    case 'either':
      return readEither(text, field.options);
    case 'json':
      // Where nothing says what it must be, text that is no JSON is text.
      return 'type' in field.schema ? readJson(text, field) : readAnything(text);
    default:
      return readJson(text, field);
  }
}

function readNumber(text: string, field: Field): Read {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(number)) return problem(`'${toSafeText(text)}' is not a number`);
  if (field.kind === 'integer' && !Number.isInteger(number)) return problem(`${number} is not a whole number`);
  return value(number);
}

function readBoolean(text: string): Read {
  const word = text.trim().toLowerCase();
  if (['true', 'yes', 'y', '1'].includes(word)) return value(true);
  if (['false', 'no', 'n', '0'].includes(word)) return value(false);
  return problem(`'${toSafeText(text)}' is neither true nor false`);
}

function readChoice(text: string, field: Field & { kind: 'choice' }): Read {
  const found =
    field.values.find((each) => each === text) ?? field.values.find((each) => JSON.stringify(each) === text.trim());
  return found === undefined ? problem(`it must be one of ${toTypeText(field)}`) : value(found);
}

// Text last: anything at all is text.
function readEither(text: string, options: readonly Field[]): Read {
  const ordered = [...options].sort((a, b) => Number(a.kind === 'string') - Number(b.kind === 'string'));
  const reads = ordered.map((option) => readValue(text, option));
  return reads.find((read) => read.ok) ?? reads[0] ?? problem('nothing fits');
}

function readAnything(text: string): Read {
  const read = toJson(text);
  return read.ok ? read : value(text);
}

function readJson(text: string, field: Field): Read {
  const read = toJson(text);
  if (!read.ok) return problem(`it must be JSON, ${toTypeText(field)}: ${read.problem}`);
  const isRight =
    field.kind === 'array'
      ? Array.isArray(read.value)
      : field.kind !== 'object' ||
        (typeof read.value === 'object' && read.value !== null && !Array.isArray(read.value));
  return isRight ? read : problem(`it must be JSON, ${toTypeText(field)}`);
}

function toJson(text: string): Read {
  try {
    return value(JSON.parse(text) as JsonValue);
  } catch (thrown) {
    return problem((thrown as Error).message);
  }
}

function value(read: JsonValue): Read {
  return { ok: true, value: read };
}

function problem(what: string): Read {
  return { ok: false, problem: what };
}
