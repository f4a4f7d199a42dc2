import type { ReactElement } from 'react';
import { formatReward } from '../data/format.ts';

/** What a step paid, as a signed badge; `none` is not 0. */
export function Reward({ value }: { readonly value: number | null }): ReactElement {
  return <span className={`reward ${toneOf(value)}`}>{formatReward(value)}</span>;
}

function toneOf(value: number | null): string {
  if (value === null) return 'none';
  if (value > 0) return 'plus';
  return value < 0 ? 'minus' : 'zero';
}
