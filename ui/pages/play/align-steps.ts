import type { Step, StepResult } from '../../../src/studio/api.ts';

/** Two steps at the same place of two branches. */
export interface StepPair {
  readonly number: number;
  readonly first: Step | undefined;
  readonly second: Step | undefined;
  /** call: other tools or inputs. result: the same call, and something else came of it. missing: one branch is shorter. */
  readonly difference: 'none' | 'call' | 'result' | 'missing';
}

/** The steps of two branches side by side. */
export function alignSteps(first: readonly Step[], second: readonly Step[]): StepPair[] {
  return Array.from({ length: Math.max(first.length, second.length) }, (_, at) => {
    const [one, other] = [first[at], second[at]];
    return { number: at + 1, first: one, second: other, difference: differenceOf(one, other) };
  });
}

function differenceOf(one: Step | undefined, other: Step | undefined): StepPair['difference'] {
  if (one === undefined || other === undefined) return 'missing';
  if (one.tool !== other.tool || !isSame(one.input, other.input)) return 'call';
  return one.status === other.status && isSame(toComparable(one.result), toComparable(other.result))
    ? 'none'
    : 'result';
}

function toComparable(result: StepResult | null): unknown {
  if (result === null) return null;
  const { blocks, reward, finished, metadata, value } = result;
  return { blocks, reward, finished, metadata, value: value ?? null };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

/** With the keys in order: servers may send the same object in another one. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
