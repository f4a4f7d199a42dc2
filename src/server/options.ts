import { assertKnownKeys, DefinitionError, must, type Rule, trueOrFalse } from '../core/index.ts';

/** The rule of every option. */
export type OptionRules<Options> = { readonly [Key in keyof Required<Options>]: Rule };

/** What is checked where it is used, or cannot be wrong. */
export const anything: Rule = () => {};

export { trueOrFalse };

export const anArray: Rule = mustUntold('an array', Array.isArray);

export const names: Rule = mustUntold(
  'an array of strings',
  (value) => Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== ''),
);

/** How much of an author's exception clients see. */
export const returnErrorsRule: Rule = oneOf('none', 'exception', 'stacktrace');

/** What Fastify adds to the options of a plugin, or takes from them. */
export const PLUGIN_OPTIONS: Readonly<Record<'prefix' | 'logLevel' | 'logSerializers', Rule>> = {
  prefix: anything,
  logLevel: anything,
  logSerializers: anything,
};

export function oneOf(...words: readonly (string | number)[]): Rule {
  const shown = words.map((word) => (typeof word === 'string' ? `'${word}'` : String(word)));
  const list = [shown.slice(0, -1).join(', '), shown.at(-1)].join(' or ');
  return must(list, (value) => words.includes(value as string));
}

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
  if (typeof options !== 'object' || options === null) throw new DefinitionError(`${where} must be an object`);
  assertKnownKeys(options, Object.keys(rules), where);
  for (const [name, rule] of Object.entries<Rule>(rules)) {
    const value = options[name as keyof Options];
    if (value !== undefined) rule(value, `${where}: ${name}`);
  }
}

/** Like `must`, for what may be a secret in the wrong place: the message does not tell it. */
function mustUntold(be: string, isRight: (value: unknown) => boolean): Rule {
  return (value, place) => {
    if (!isRight(value)) throw new DefinitionError(`${place} must be ${be}`);
  };
}
