import { InvalidArgumentError } from 'commander';
import type { RewardRule, UnfinishedRule } from '../../rollouts/index.ts';
import { toCount } from '../shared/arguments.ts';

/** A number, also a negative one. */
export function toAmount(text: string): number {
  const amount = Number(text);
  if (text.trim() === '' || !Number.isFinite(amount)) throw new InvalidArgumentError('Must be a number.');
  return amount;
}

/** A share from 0 to 1. */
export function toShare(text: string): number {
  const share = toAmount(text);
  if (share < 0 || share > 1) throw new InvalidArgumentError('Must be a number from 0 to 1.');
  return share;
}

/** How many episodes are open at a time. */
export function toConcurrency(text: string): number | 'auto' {
  return text === 'auto' ? 'auto' : toCount(text);
}

const MOST_INDICES = 1_000_000;

/** Places of tasks: `3,7,10-19`. */
export function toIndices(text: string): readonly number[] {
  const indices: number[] = [];
  for (const part of text.split(',')) {
    const [, first, last = first] = /^\s*(\d{1,15})(?:-(\d{1,15}))?\s*$/.exec(part) ?? [];
    if (first === undefined || Number(last) < Number(first) || Number(last) - Number(first) > MOST_INDICES)
      throw new InvalidArgumentError('A list of numbers and ranges: 3,7,10-19.');
    for (let index = Number(first); index <= Number(last); index += 1) indices.push(index);
  }
  return indices;
}

const REWARD_RULES: readonly RewardRule[] = ['sum', 'last', 'max', 'mean'];

/** How the rewards of steps become that of the episode. */
export function toRewardRule(text: string): RewardRule {
  const rule = REWARD_RULES.find((each) => each === text);
  if (rule === undefined) throw new InvalidArgumentError(`One of: ${REWARD_RULES.join(', ')}.`);
  return rule;
}

/** What unfinished episodes without a reward count for. */
export function toUnfinished(text: string): UnfinishedRule {
  if (text === '0') return 'zero';
  if (text === 'exclude') return 'exclude';
  throw new InvalidArgumentError('Either 0 or exclude.');
}
