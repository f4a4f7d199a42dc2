import { isObject, type JsonObject } from '../../protocol/index.ts';
import { badRequest } from './refusal.ts';

/** The least and the most that a number may be. */
export interface Bounds {
  readonly least?: number;
  readonly most?: number;
}

/** A body or query, whose fields are read one by one; what is wrong with one is a clear refusal. */
export class Fields {
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(value: unknown, what = 'the body') {
    if (!isObject(value) || Array.isArray(value)) throw badRequest(`${what} must be a JSON object`);
    this.#fields = value;
  }

  has(name: string): boolean {
    return this.#fields[name] !== undefined;
  }

  text(name: string): string {
    const value = this.#fields[name];
    if (typeof value !== 'string' || value === '') throw badRequest(`'${name}' must be a string that is not empty`);
    return value;
  }

  optionalText(name: string): string | undefined {
    const value = this.#fields[name];
    if (value !== undefined && typeof value !== 'string') throw badRequest(`'${name}' must be a string`);
    return value;
  }

  /** A whole number from `least` on; in a query it comes as text. */
  optionalCount(name: string, { least = 0, most = Number.MAX_SAFE_INTEGER }: Bounds = {}): number | undefined {
    const value = this.#fields[name];
    if (value === undefined) return undefined;
    const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < least || number > most)
      throw badRequest(`'${name}' must be a whole number from ${least} to ${most}`);
    return number;
  }

  count(name: string, bounds: Bounds = {}): number {
    const value = this.optionalCount(name, bounds);
    if (value === undefined) throw badRequest(`'${name}' is missing`);
    return value;
  }

  optionalFlag(name: string): boolean | undefined {
    const value = this.#fields[name];
    if (value !== undefined && typeof value !== 'boolean') throw badRequest(`'${name}' must be true or false`);
    return value;
  }

  oneOf<Word extends string>(name: string, words: readonly Word[]): Word {
    const value = this.optionalOneOf(name, words);
    if (value === undefined) throw badRequest(`'${name}' is missing: it must be one of ${words.join(', ')}`);
    return value;
  }

  optionalOneOf<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const value = this.#fields[name];
    if (value === undefined) return undefined;
    if (!(words as readonly unknown[]).includes(value))
      throw badRequest(`'${name}' must be one of ${words.join(', ')}`);
    return value as Word;
  }

  object(name: string): JsonObject {
    const value = this.#fields[name];
    if (!isObject(value) || Array.isArray(value)) throw badRequest(`'${name}' must be a JSON object`);
    return value as JsonObject;
  }

  optionalTexts(name: string): readonly string[] | undefined {
    const value = this.#fields[name];
    if (value === undefined) return undefined;
    if (!Array.isArray(value) || value.some((each) => typeof each !== 'string'))
      throw badRequest(`'${name}' must be an array of strings`);
    return value;
  }

  /** Texts by name; their values are in no message. */
  optionalTextsByName(name: string): Readonly<Record<string, string>> | undefined {
    const value = this.#fields[name];
    if (value === undefined) return undefined;
    if (!isObject(value) || Object.values(value).some((each) => typeof each !== 'string'))
      throw badRequest(`'${name}' must be an object whose values are strings`);
    return value as Record<string, string>;
  }
}
