import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject } from '../../protocol/index.ts';

/** Whether a value is what a schema allows. */
export type Accepts = (value: unknown) => boolean;

/** A schema as a predicate; a schema that is none allows nothing. */
export function accepts({ $schema: _dialect, ...schema }: JsonObject): Accepts {
  try {
    const validate = new Ajv2020({ strict: false, validateFormats: false, logger: false }).compile(schema);
    return (value) => validate(value) === true;
  } catch {
    return () => false; // What is wrong with the schema itself is for others to tell.
  }
}
