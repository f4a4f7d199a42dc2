import { assertKnownKeys, DefinitionError, describe } from '../core/index.ts';

/** What an option may be: whether a value is that, and how to say it. */
export interface Kind {
  readonly wanted: string;
  readonly includes: (value: unknown) => boolean;
  /** Whether a wrong value may be a secret in the wrong place, which no message tells. */
  readonly mayBeSecret?: true;
}

/** The kind of every option. */
export type Kinds<Options> = { readonly [Key in keyof Required<Options>]: Kind };

/** What is checked where it is used, or cannot be wrong. */
export const anything: Kind = { wanted: 'anything', includes: () => true };

export const boolean: Kind = { wanted: 'true or false', includes: (value) => typeof value === 'boolean' };

export const array: Kind = { wanted: 'an array', includes: Array.isArray, mayBeSecret: true };

export const texts: Kind = {
  wanted: 'an array of strings',
  includes: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== ''),
  mayBeSecret: true,
};

export function oneOf(...words: readonly (string | number)[]): Kind {
  const shown = words.map((word) => (typeof word === 'string' ? `'${word}'` : String(word)));
  const wanted = [shown.slice(0, -1).join(', '), shown.at(-1)].join(' or ');
  return { wanted, includes: (value) => words.includes(value as string) };
}

/** A number from the least to the most, both included. */
export function between(least: number, most: number): Kind {
  const wanted = most === Number.POSITIVE_INFINITY ? `a number from ${least}` : `a number from ${least} to ${most}`;
  return { wanted, includes: (value) => typeof value === 'number' && value >= least && value <= most };
}

export const RETURN_ERRORS: Kind = oneOf('none', 'exception', 'stacktrace');

/** What Fastify adds to the options of a plugin, or takes from them. */
export const PLUGIN_OPTIONS: Readonly<Record<'prefix' | 'logLevel' | 'logSerializers', Kind>> = {
  prefix: anything,
  logLevel: anything,
  logSerializers: anything,
};

/**
 * Refuses options that mean nothing. A server is often started without a type check, and a misspelt `auth` would leave it
 * open, a misspelt word would show what it should hide.
 */
export function assertOptions<Options extends object>(options: Options, kinds: Kinds<Options>, where: string): void {
  if (typeof options !== 'object' || options === null) throw new DefinitionError(`${where} must be an object`);
  assertKnownKeys(options, Object.keys(kinds), where);
  for (const [name, { wanted, includes, mayBeSecret }] of Object.entries<Kind>(kinds)) {
    const value = options[name as keyof Options];
    if (value === undefined || includes(value)) continue;
    const given = mayBeSecret ? '' : `, not ${describe(value)}`;
    throw new DefinitionError(`${where}: ${name} must be ${wanted}${given}`);
  }
}
