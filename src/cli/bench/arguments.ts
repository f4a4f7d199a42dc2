import { InvalidArgumentError } from 'commander';

/** A number above 0, fractions included. */
export function toPositive(text: string): number {
  const value = Number(text);
  if (!/^\d{1,9}(?:\.\d+)?$/.test(text) || value === 0)
    throw new InvalidArgumentError('Must be a number greater than 0.');
  return value;
}
