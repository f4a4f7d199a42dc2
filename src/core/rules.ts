import { isObject } from '../protocol/index.ts';
import { describe } from './content.ts';
import { DefinitionError } from './errors.ts';
import { assertKnownKeys } from './known-keys.ts';

/** Refuses an invalid value; `place` names it in the message. */
export type Rule = (value: unknown, place: string) => void;

/** Rules by key. */
export type Rules = Readonly<Record<string, Rule>>;

/** Refuses anything but an object, such as an undefined import; `example` shows what to write instead. */
export function assertDefinition(definition: unknown, definer: string, example: string): void {
  if (isObject(definition)) return;
  throw new DefinitionError(`${definer}() takes an object, not ${describe(definition)}. Write ${definer}(${example})`);
}

/** A rule by what a value must be, in words and as a predicate. */
export function must(be: string, isRight: (value: unknown) => boolean): Rule {
  return (value, place) => {
    if (!isRight(value)) throw new DefinitionError(`${place} must be ${be}, not ${describe(value)}`);
  };
}

/** Like `must`, where a secret may stand, if only by mistake: the message does not quote the value. */
export function mustUnquoted(be: string, isRight: (value: unknown) => boolean): Rule {
  return (value, place) => {
    if (!isRight(value)) throw new DefinitionError(`${place} must be ${be}`);
  };
}

/** Text of any length. */
export const aString: Rule = must('a string', (value) => typeof value === 'string');

/** Text that names something. */
export const aName: Rule = must('a string that is not empty', (value) => typeof value === 'string' && value !== '');

/** A boolean; truthy values such as "false" are refused. */
export const trueOrFalse: Rule = must('true or false', (value) => typeof value === 'boolean');

/** One of a few words or numbers. */
export function oneOf(words: readonly (string | number)[]): Rule {
  const shown = words.map((word) => (typeof word === 'string' ? `'${word}'` : String(word)));
  const list = `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`;
  return must(list, (value) => words.includes(value as string | number));
}

/** The least and the most that a number may be, both included. */
export interface Range {
  readonly least?: number;
  readonly most?: number;
}

/** A whole number of something; at least 1 unless told otherwise. */
export function wholeNumber(unit: string, { least = 1, most = Number.MAX_SAFE_INTEGER }: Range = {}): Rule {
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`;
  return must(
    `a whole number of ${unit} ${range}`,
    (value) => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most,
  );
}

/** A list whose items follow a rule; `example` is shown in the error. */
export function listOf(rule: Rule, example: string): Rule {
  const assertList = must(`an array, such as ${example}`, Array.isArray);
  return (value, place) => {
    assertList(value, place);
    for (const [index, item] of (value as unknown[]).entries()) rule(item, `${place}[${index}]`);
  };
}

/** The rules of an object. */
export interface ObjectRules {
  readonly required?: Rules;
  readonly optional?: Rules;
  /** Optional as well, but no message names them: they are not for users. */
  readonly internal?: Rules;
}

/** An object that has these keys and no others; with `mustUnquoted`, a message does not quote what stands in its place. */
export function objectOf(
  { required = {}, optional = {}, internal = {} }: ObjectRules,
  mustBe: typeof must = must,
): Rule {
  const keys = Object.keys({ ...required, ...optional });
  const assertObject = mustBe(`an object with ${keys.join(', ')}`, isObject);
  return (value, place) => {
    assertObject(value, place);
    const object = value as Record<string, unknown>;
    const forUsers = Object.entries(object).filter(([key]) => !Object.hasOwn(internal, key));
    assertKnownKeys(Object.fromEntries(forUsers), keys, place);
    for (const [key, rule] of Object.entries(required)) rule(object[key], `${place}.${key}`);
    for (const [key, rule] of Object.entries({ ...optional, ...internal })) {
      if (object[key] !== undefined) rule(object[key], `${place}.${key}`);
    }
  };
}
