import { DefinitionError } from './errors.ts';
import { assertKnownKeys } from './known-keys.ts';
import { LIMIT_NAMES, LIMITS, type LimitName, type Limits } from './limits.ts';

/** What a server uses unless told otherwise. */
export const DEFAULT_LIMITS: Limits = Object.fromEntries(
  LIMIT_NAMES.map((name) => [name, LIMITS[name].default]),
) as unknown as Limits;

/** The longest that a timer can wait; a longer one would fire at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

/** All limits: those that are given, the others as in the table. Refuses what is no limit, or cannot be one. */
export function toLimits(given: Partial<Limits> = {}): Limits {
  assertKnownKeys(given, LIMIT_NAMES, 'limits');
  const chosen = Object.entries(given).filter(([, value]) => value !== undefined) as [LimitName, number][];
  for (const [name, value] of chosen) assertLimit(name, value);
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(chosen) };
}

/** Refuses a value that a limit cannot have. */
export function assertLimit(name: LimitName, value: unknown): void {
  const { unit, least = 1 } = LIMITS[name];
  const most = unit === 'ms' ? LONGEST_TIMER_MS : Number.MAX_SAFE_INTEGER;
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return;
  const wanted = `a whole number${unit === 'count' ? '' : ` of ${unit}`} from ${least}${unit === 'ms' ? ` to ${most}` : ''}`;
  const shown = typeof value === 'number' ? value : `the ${typeof value} ${JSON.stringify(value) ?? ''}`.trim();
  throw new DefinitionError(`limits: ${name} must be ${wanted}, not ${shown}`);
}
