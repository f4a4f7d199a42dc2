import type { Secrets } from '../core/index.ts';

// Each is some kilobytes. Tasks may have tools of their own, so there may be more of them than anybody should hold.
const MOST_VALUES = 1_000;

/** Where values are stored that many records have in common: to take secrets out and to hash them again for each record costs more than the rest of it. */
export class CommonValues<Ref> {
  /** By the secrets that were taken out, then by the JSON that they were taken out of. */
  readonly #refs = new WeakMap<Secrets, Map<string, Ref>>();
  /** The JSON of values that cannot change. */
  readonly #texts = new WeakMap<object, string>();

  /** Where a value is stored; `store` does so if it is not known. */
  find(value: object, secrets: Secrets, store: () => Ref): Ref {
    const refs = this.#refs.get(secrets) ?? new Map<string, Ref>();
    this.#refs.set(secrets, refs);
    const json = this.#textOf(value);
    const known = refs.get(json);
    if (known !== undefined) return known;
    if (refs.size >= MOST_VALUES) refs.clear();
    const ref = store();
    refs.set(json, ref);
    return ref;
  }

  #textOf(value: object): string {
    const text = this.#texts.get(value) ?? JSON.stringify(value);
    if (Object.isFrozen(value)) this.#texts.set(value, text);
    return text;
  }
}
