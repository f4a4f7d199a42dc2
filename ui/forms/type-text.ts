type Schema = Readonly<Record<string, unknown>>;

/** What a field takes, in a few words: `integer, 1 to 5, default 1`. */
export function toTypeText(schema: unknown): string {
  if (schema === null || typeof schema !== 'object') return '';
  const given = schema as Schema;
  const words = [typeOf(given), rangeOf(given), lengthOf(given), formatOf(given), defaultOf(given)];
  return words.filter((word) => word !== undefined).join(', ');
}

function typeOf({ type, enum: choices, const: only }: Schema): string | undefined {
  if (only !== undefined) return `always ${JSON.stringify(only)}`;
  // They stand below, to be chosen from.
  if (Array.isArray(choices)) return undefined;
  if (Array.isArray(type)) return type.join(' or ');
  return typeof type === 'string' && type !== 'string' ? type : undefined;
}

function rangeOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): string | undefined {
  const low =
    typeof minimum === 'number'
      ? `${minimum}`
      : typeof exclusiveMinimum === 'number'
        ? `above ${exclusiveMinimum}`
        : undefined;
  const high =
    typeof maximum === 'number'
      ? `${maximum}`
      : typeof exclusiveMaximum === 'number'
        ? `below ${exclusiveMaximum}`
        : undefined;
  if (low !== undefined && high !== undefined) return `${low} to ${high}`;
  if (low !== undefined) return low.startsWith('above') ? low : `at least ${low}`;
  return high === undefined || high.startsWith('below') ? high : `at most ${high}`;
}

function lengthOf({ minLength, maxLength, minItems, maxItems }: Schema): string | undefined {
  const [least, most, unit] =
    minItems !== undefined || maxItems !== undefined
      ? [minItems, maxItems, 'items']
      : [minLength, maxLength, 'characters'];
  if (typeof most === 'number')
    return typeof least === 'number' && least > 0 ? `${least} to ${most} ${unit}` : `at most ${most} ${unit}`;
  return typeof least === 'number' && least > 1 ? `at least ${least} ${unit}` : undefined;
}

function formatOf({ format, pattern }: Schema): string | undefined {
  if (typeof format === 'string') return format;
  return typeof pattern === 'string' && pattern.length < 30 ? `like ${pattern}` : undefined;
}

function defaultOf({ default: fallback }: Schema): string | undefined {
  const text = fallback === undefined ? undefined : JSON.stringify(fallback);
  return text === undefined || text.length > 40 ? undefined : `default ${text}`;
}
