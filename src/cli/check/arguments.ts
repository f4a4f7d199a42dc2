import { InvalidArgumentError } from 'commander';
import { misuse } from '../shared/failure.ts';
import type { CheckCommandOptions } from './options.ts';

/** The least and the most that a call may pay, from text such as -1,1. */
export function toRange(text: string): readonly [min: number, max: number] {
  const [min, max, ...rest] = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (min === undefined || max === undefined || rest.length > 0 || !(min <= max))
    throw new InvalidArgumentError('A range is min,max, such as 0,1 or -1,1.');
  return [min, max];
}

/** Refuses options of the referee beside those of the lint, which would do nothing. */
export function assertOptions(options: CheckCommandOptions): void {
  const { environment, samples, seed, rewardRange, only, setupTimeout } = options;
  if (samples === 0) throw misuse('--samples must be at least 1');
  const isLint = environment !== undefined;
  const strays = Object.entries(
    isLint
      ? { '--only': only, '--setup-timeout': setupTimeout }
      : { '--samples': samples, '--seed': seed, '--reward-range': rewardRange },
  ).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (strays.length === 0) return;
  const names = strays.join(' and ');
  throw misuse(
    isLint
      ? `${names} cannot be combined with --environment, which lints the environments and does not check the server`
      : `${names} only ${strays.length === 1 ? 'applies' : 'apply'} to the lint: add --environment`,
  );
}
