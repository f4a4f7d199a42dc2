import type { WireBlock } from '../../protocol/index.ts';
import { blockDifferences, type Difference, differencesOf, type ToldResult } from '../../records/index.ts';
import type { Divergence, Step } from '../api.ts';

/** How a step that was played again differs from what it was before. */
export function divergencesOf(before: Step, now: Step): Divergence[] {
  return differencesOf(toTold(before), toTold(now)).map(toDivergence);
}

/** How a prompt differs from what it was before. */
export function promptDivergences(before: readonly WireBlock[] | null, now: readonly WireBlock[] | null): Divergence[] {
  return before === null || now === null ? [] : blockDifferences(before, now).map(toDivergence);
}

function toTold({ result, problem }: Step): ToldResult {
  return problem === null ? { ...result } : { failure: { reason: problem.kind, message: problem.message } };
}

function toDivergence({ what, recorded, now }: Difference): Divergence {
  return { what, before: recorded, now };
}
