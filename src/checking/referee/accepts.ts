import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonObject } from '../../protocol/index.ts';

/** Whether a value is what a schema allows. */
export type Accepts = (value: unknown) => boolean;

/** A schema as a predicate; of a schema that is none, it allows nothing. */
export function accepts(schema: JsonObject): Accepts {
  try {
    return compile(schema);
  } catch {
    // The server's schema is wrong, which a probe of its own says.
    return () => false;
  }
}

/** What is wrong with a schema, or undefined if nothing is. */
export function problemOf(schema: JsonObject): string | undefined {
  try {
    compile(schema);
    return undefined;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

// Engines take milliseconds to make, so there is one for each dialect.
const engines = new Map<string, Ajv>();

function compile(schema: JsonObject): Accepts {
  const validate = engineFor(schema).compile(schema);
  return (value) => validate(value) === true;
}

function engineFor({ $schema, $id }: JsonObject): Ajv {
  const isDraft07 = typeof $schema === 'string' && $schema.includes('draft-07');
  const make = () => new (isDraft07 ? Ajv : Ajv2020)({ strict: false, validateFormats: false, logger: false });
  // An engine takes each $id once, and two tools may use the same.
  if ($id !== undefined) return make();
  const dialect = isDraft07 ? 'draft-07' : '2020-12';
  const engine = engines.get(dialect) ?? make();
  engines.set(dialect, engine);
  return engine;
}
