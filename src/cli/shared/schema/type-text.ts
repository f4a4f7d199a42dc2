import { toSafeJson, toSafeText } from '../safe-text.ts';
import type { Field } from './field.ts';

/** The type of a field in a few words, as a programmer would write it: `integer 1..10`, `string[]`, `"easy" | "hard"`. */
export function toTypeText(field: Field): string {
  const text = toShapeText(field);
  return field.nullable && field.kind !== 'null' ? `${text} | null` : text;
}

const MOST_VALUES = 12;

function toShapeText(field: Field): string {
  switch (field.kind) {
    case 'choice':
      return toChoiceText(field.values);
    case 'array': {
      const items = toTypeText(field.items);
      return items.includes(' ') ? `(${items})[]` : `${items}[]`;
    }
    case 'object':
      return `{ ${field.fields.map((each) => `${toSafeText(each.name)}${each.isRequired ? '' : '?'}: ${toTypeText(each.field)}`).join(', ')} }`;
    case 'either':
      return [...new Set(field.options.map(toTypeText))].join(' | ');
    case 'number':
    case 'integer':
      return `${field.kind}${toRange(field.schema)}`;
    case 'json':
      return 'JSON';
    default:
      return field.kind;
  }
}

function toChoiceText(values: readonly unknown[]): string {
  const shown = values.slice(0, MOST_VALUES).map(toSafeJson).join(' | ');
  return values.length > MOST_VALUES ? `${shown} | ... (${values.length} values)` : shown;
}

// Some generators write the largest integer that there is; that is no bound.
function toRange({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Field['schema']): string {
  const [low, high] = [minimum, maximum].map((bound) =>
    typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : undefined,
  );
  if (low !== undefined && high !== undefined) return ` ${low}..${high}`;
  if (low !== undefined) return ` >= ${low}`;
  if (high !== undefined) return ` <= ${high}`;
  if (typeof exclusiveMinimum === 'number') return ` > ${exclusiveMinimum}`;
  return typeof exclusiveMaximum === 'number' ? ` < ${exclusiveMaximum}` : '';
}
