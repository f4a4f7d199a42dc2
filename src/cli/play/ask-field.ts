import type { JsonObject, JsonValue } from '../../protocol/index.ts';
import { toSafeJson, toSafeText } from '../shared/safe-text.ts';
import { checkValue } from '../shared/schema/check-value.ts';
import type { Field } from '../shared/schema/field.ts';
import { readValue } from '../shared/schema/read-value.ts';
import { toTypeText } from '../shared/schema/type-text.ts';
import type { Asker, Choice } from './asker.ts';

/** A value that is asked for. */
export interface Asked {
  /** Where it is, for the question: `answer`, `options.depth`, `tags[0]`. */
  readonly path: string;
  readonly field: Field;
  readonly isRequired: boolean;
}

/** Asks for a value, in as many questions as it takes; undefined leaves it out. */
export async function askField(asker: Asker, asked: Asked): Promise<JsonValue | undefined> {
  const { field, path } = asked;
  switch (field.kind) {
    case 'object':
      return (await isWanted(asker, asked)) ? askFields(asker, field.fields, path) : field.fallback;
    case 'array':
      return (await isWanted(asker, asked)) ? askItems(asker, { ...asked, field }) : field.fallback;
    case 'either':
      return askEither(asker, { ...asked, field });
    case 'choice':
      return askChoice(asker, asked, field.values);
    case 'boolean':
      return askChoice(asker, asked, [true, false]);
    case 'null':
      return asked.isRequired ? null : undefined;
    default:
      return askText(asker, asked);
  }
}

/** Asks for the fields of an object, one after the other. */
export async function askFields(
  asker: Asker,
  fields: (Field & { kind: 'object' })['fields'],
  path = '',
): Promise<JsonObject> {
  const entries: [string, JsonValue][] = [];
  for (const { name, isRequired, field } of fields) {
    const value = await askField(asker, { path: path === '' ? name : `${path}.${name}`, field, isRequired });
    if (value !== undefined) entries.push([name, value]);
  }
  // Not by assignment: a field may be named __proto__.
  return Object.fromEntries(entries);
}

async function askText(asker: Asker, asked: Asked): Promise<JsonValue | undefined> {
  const answer = await asker.type({
    message: toMessage(asked),
    hint: toHint(asked),
    whenEmpty: toWhenEmpty(asked),
    check(text) {
      const read = toAnswer(text, asked);
      return read.ok ? undefined : read.problem;
    },
  });
  const read = toAnswer(answer, asked);
  return read.ok ? read.value : undefined;
}

type Answer =
  | { readonly ok: true; readonly value: JsonValue | undefined }
  | { readonly ok: false; readonly problem: string };

function toAnswer(text: string, { field, isRequired }: Asked): Answer {
  if (text === '') {
    if (field.fallback != null) return { ok: true, value: field.fallback };
    if (!isRequired) return { ok: true, value: undefined };
    if (field.kind !== 'string') return { ok: false, problem: `It is required: ${toTypeText(field)}` };
  }
  const read = readValue(field.kind === 'string' ? unquote(text) : text, field);
  if (!read.ok || (read.value === null && field.nullable)) return read;
  const problem = checkValue(read.value, field.schema);
  return problem === undefined ? read : { ok: false, problem };
}

// Enter ends a line of input, so a text of several lines is written as JSON: "one\ntwo". Other quotes stay as they are.
function unquote(text: string): string {
  if (text !== '""' && !/^".*\\.*"$/s.test(text)) return text;
  try {
    return JSON.parse(text) as string;
  } catch {
    return text; // Quotes and a backslash that mean themselves.
  }
}

function askChoice(asker: Asker, asked: Asked, values: readonly JsonValue[]): Promise<JsonValue | undefined> {
  const { field, isRequired } = asked;
  const choices: Choice<JsonValue | undefined>[] = values.map((value) => ({ value, label: toLabel(value) }));
  const initial = Math.max(0, values.indexOf(field.fallback ?? null));
  if (field.nullable && isRequired) choices.push({ value: null, label: 'null' });
  if (!isRequired) choices.push({ value: undefined, label: '(leave out)' });
  const isLeftOut = !isRequired && field.fallback == null;
  return asker.choose({ message: toMessage(asked), choices, initial: isLeftOut ? choices.length - 1 : initial });
}

/** Whether something that may be left out shall be given. */
async function isWanted(asker: Asker, asked: Asked): Promise<boolean> {
  if (asked.isRequired) return true;
  const choices = [
    {
      value: false,
      label: asked.field.fallback == null ? '(leave out)' : `default ${toSafeJson(asked.field.fallback)}`,
    },
    { value: true, label: 'give it' },
  ];
  return asker.choose({ message: toMessage(asked), choices });
}

async function askEither(asker: Asker, asked: Asked & { field: { kind: 'either' } }): Promise<JsonValue | undefined> {
  const { field, isRequired } = asked;
  const choices: Choice<Field | null | undefined>[] = field.options.map((option) => ({
    value: option,
    label: toSafeText(option.title ?? toTypeText(option)),
    ...(option.description === undefined ? {} : { hint: toLine(option.description) }),
  }));
  if (field.nullable) choices.push({ value: null, label: 'null' });
  if (!isRequired) choices.push({ value: undefined, label: '(leave out)' });
  const chosen = await asker.choose({ message: toMessage(asked), choices });
  return chosen == null ? chosen : askField(asker, { ...asked, field: chosen, isRequired: true });
}

async function askItems(asker: Asker, asked: Asked & { field: { kind: 'array' } }): Promise<JsonValue[]> {
  const { field, path } = asked;
  const items: JsonValue[] = [];
  for (;;) {
    const problem = checkValue(items, field.schema);
    const choices = [
      { value: true, label: items.length === 0 ? 'add an item' : 'add another item' },
      // What is wrong with the list as it is, such as too few items, can be mended only by going on.
      { value: false, label: 'that is all', hint: problem ?? toSafeJson(items) },
    ];
    const wantsMore = await asker.choose({ message: toMessage(asked), choices, initial: items.length === 0 ? 0 : 1 });
    if (!wantsMore && problem === undefined) return items;
    if (!wantsMore) continue;
    const item = await askField(asker, { path: `${path}[${items.length}]`, field: field.items, isRequired: true });
    if (item !== undefined) items.push(item);
  }
}

function toMessage({ path, field }: Asked): string {
  const description = field.description === undefined ? '' : `  ${toLine(field.description)}`;
  return `${toLine(path)} (${toTypeText(field)})${description}`;
}

function toHint({ field, isRequired }: Asked): string {
  if (field.fallback != null) return `Enter for ${toSafeJson(field.fallback)}`;
  return isRequired ? '' : 'Enter to leave it out';
}

function toWhenEmpty({ field, isRequired }: Asked): string | undefined {
  if (field.fallback != null) return toSafeJson(field.fallback);
  return isRequired ? undefined : '(left out)';
}

function toLabel(value: JsonValue): string {
  return typeof value === 'string' && value !== '' ? toLine(value) : toSafeJson(value);
}

function toLine(text: string): string {
  return toSafeText(text).replace(/\s+/g, ' ').trim();
}
