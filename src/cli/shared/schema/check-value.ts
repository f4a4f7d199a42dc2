import { DefinitionError, formatProblems, type Validator, validatorOf } from '../../../core/index.ts';
import type { JsonObject, JsonValue } from '../../../protocol/index.ts';

/** What a schema finds wrong with a value, or undefined. A schema that cannot be used finds nothing: the server will look. */
export function checkValue(value: JsonValue, schema: JsonObject): string | undefined {
  const validate = toValidator(schema);
  // A copy: the check writes defaults into what it is given.
  const checked = validate?.(structuredClone(value));
  return checked === undefined || checked.ok ? undefined : formatProblems(checked.problems);
}

function toValidator(schema: JsonObject): Validator | undefined {
  try {
    return validatorOf(schema, 'a schema of the server', { lenient: false });
  } catch (thrown) {
    if (thrown instanceof DefinitionError) return undefined;
    throw thrown;
  }
}
