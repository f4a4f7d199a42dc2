import { assertLimit, LIMIT_NAMES, LIMITS, type LimitName, type Limits, nearestOf } from '../../core/index.ts';
import { misuse } from '../shared/failure.ts';

/** The limits of the command: those of TILTYARD_LIMITS, and over them those of `--limit`. */
export function readLimits(options: readonly string[] | undefined, variable: string | undefined): Partial<Limits> {
  const listed = (variable ?? '').split(',').filter((entry) => entry.trim() !== '');
  return {
    ...Object.fromEntries(listed.map((entry) => toLimit(entry, 'TILTYARD_LIMITS'))),
    ...Object.fromEntries((options ?? []).map((entry) => toLimit(entry, '--limit'))),
  };
}

function toLimit(entry: string, source: string): [LimitName, number] {
  const [, name = '', value = ''] = /^\s*([^=]*?)\s*=\s*(.*?)\s*$/.exec(entry) ?? [];
  if (!isLimitName(name)) throw misuse(`${source}: '${entry.trim()}' is not a limit. ${adviceFor(name)}`);
  // Digits only: '' and '1e9' would pass for numbers, and nobody means them.
  const number = /^\d+$/.test(value) ? Number(value) : value;
  try {
    assertLimit(name, number);
  } catch (thrown) {
    throw misuse(`${source}: ${(thrown as Error).message}`);
  }
  return [name, number as number];
}

function isLimitName(name: string): name is LimitName {
  return Object.hasOwn(LIMITS, name);
}

function adviceFor(name: string): string {
  const near = name === '' ? undefined : nearestOf(LIMIT_NAMES, name);
  return near === undefined ? KNOWN : `Did you mean '${near}'?`;
}

const KNOWN = `Write name=number with one of these names: ${LIMIT_NAMES.map(withUnit).join(', ')}`;

function withUnit(name: LimitName): string {
  const { unit } = LIMITS[name];
  return unit === 'count' ? name : `${name} (${unit})`;
}
