import { type OutputUnit, type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema';
import { type RJSFSchema, type RJSFValidationError, toErrorSchema, type ValidatorType } from '@rjsf/utils';

/** Something wrong with a value, and where. */
export interface SchemaError {
  /** `options.depth`; empty for the value as a whole. */
  readonly path: string;
  readonly message: string;
}

/** What is wrong with a value by its schema; a schema that cannot be read finds nothing: the server has the last word. */
export function checkValue(schema: object, value: unknown): SchemaError[] {
  try {
    const { errors } = new Validator(schema as Schema, draftOf(schema), false).validate(value);
    return withoutRepeats(errors.filter(isCause).map(toSchemaError));
  } catch {
    return [];
  }
}

/** The validator of forms: one that evaluates no code, because the page's Content-Security-Policy forbids that. */
export const validator: ValidatorType = {
  isValid(schema, value, root) {
    try {
      const { $defs, definitions } = root as RJSFSchema & { $defs?: object };
      const whole = { ...($defs && { $defs }), ...(definitions && { definitions }), ...(schema as RJSFSchema) };
      return new Validator(whole as Schema, draftOf(root)).validate(value).valid;
    } catch {
      return false;
    }
  },
  validateFormData(value, schema) {
    const errors = checkValue(schema, value).map(({ path, message }): RJSFValidationError => {
      const property = path === '' ? '.' : `.${path}`;
      return { message, property, stack: `${property} ${message}` };
    });
    return { errors, errorSchema: toErrorSchema(errors) };
  },
  rawValidation: (schema, value) => ({ errors: checkValue(schema, value) as never }),
};

const DRAFTS: readonly (readonly [pattern: RegExp, draft: SchemaDraft])[] = [
  [/draft-0?4/, '4'],
  [/draft-0?[67]/, '7'],
  [/2019-09/, '2019-09'],
];

function draftOf(schema: object): SchemaDraft {
  const named = '$schema' in schema ? String(schema.$schema) : '';
  return DRAFTS.find(([pattern]) => pattern.test(named))?.[1] ?? '2020-12';
}

// These only say that something inside is wrong, which has its own error.
const AROUND = new Set([
  'properties',
  'items',
  'prefixItems',
  '$ref',
  'allOf',
  'if',
  'then',
  'else',
  'dependentSchemas',
]);

function isCause({ keyword }: OutputUnit): boolean {
  return !AROUND.has(keyword);
}

function toSchemaError({ keyword, instanceLocation, error }: OutputUnit): SchemaError {
  const place = instanceLocation.replace(/^#\/?/, '').split('/').filter(Boolean).map(fromPointer);
  const missing = keyword === 'required' ? /"(.*)"/.exec(error)?.[1] : undefined;
  if (missing !== undefined) return { path: [...place, missing].join('.'), message: 'This is required.' };
  return { path: place.join('.'), message: error.replace(/^Instance\b/, 'The value') };
}

function fromPointer(part: string): string {
  return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
}

function withoutRepeats(errors: readonly SchemaError[]): SchemaError[] {
  const known = new Set<string>();
  return errors.filter(({ path, message }) => {
    const key = `${path} ${message}`;
    return !known.has(key) && known.add(key);
  });
}
