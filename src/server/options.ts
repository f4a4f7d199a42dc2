import { assertKnownKeys, must, mustUnquoted, oneOf, type Rule } from '../core/index.ts';
import { isObject } from '../protocol/index.ts';

/** The rule of every option. */
export type OptionRules<Options> = { readonly [Key in keyof Required<Options>]: Rule };

/** What is checked where it is used, or cannot be wrong. */
export const anything: Rule = () => {};

export const anArray: Rule = mustUnquoted('an array', Array.isArray);

export const names: Rule = mustUnquoted(
  'an array of strings',
  (value) => Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== ''),
);

/** Keys of a journal. What is wrong with one shows when it is read. */
export const journalKeys: Rule = mustUnquoted(
  'an array of strings',
  (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
);

/** A folder of the server, which it makes if it does not exist. */
export const aFolder: Rule = must('the path of a folder', (value) => typeof value === 'string' && value !== '');

/** How much of an author's exception clients see. */
export const returnErrorsRule: Rule = oneOf(['none', 'exception', 'stacktrace']);

/** What Fastify adds to the options of a plugin, or takes from them. */
export const PLUGIN_OPTIONS: Readonly<Record<'prefix' | 'logLevel' | 'logSerializers', Rule>> = {
  prefix: anything,
  logLevel: anything,
  logSerializers: anything,
};

/**
 * Refuses to be mounted where paths would be wrong: Fastify joins a slash at the end of a prefix with the one that a route begins with, and
 * redirects would name a parameter instead of its value. `prefix` is that of all plugins around as well.
 */
export function assertMountable(prefix: string, where: string): void {
  if (prefix !== '') aPlainPath(prefix, `${where}: prefix`);
}

const aPlainPath: Rule = must(
  'a path without parameters, and without a slash at its end',
  (value) => typeof value === 'string' && !/[:*]|\/$/.test(value),
);

/** A number from the least to the most, both included. */
export function between(least: number, most: number): Rule {
  const range = most === Number.POSITIVE_INFINITY ? `from ${least}` : `from ${least} to ${most}`;
  return must(`a number ${range}`, (value) => typeof value === 'number' && value >= least && value <= most);
}

/**
 * Refuses options that mean nothing. A server is often started without a type check, and a misspelt `auth` would leave it
 * open, a misspelt word would show what it should hide.
 */
export function assertOptions<Options extends object>(
  options: Options,
  rules: OptionRules<Options>,
  where: string,
): void {
  anObject(options, where);
  assertKnownKeys(options, Object.keys(rules), where);
  for (const [name, rule] of Object.entries<Rule>(rules)) {
    const value = options[name as keyof Options];
    if (value !== undefined) rule(value, `${where}: ${name}`);
  }
}

const anObject: Rule = mustUnquoted('an object', isObject);
