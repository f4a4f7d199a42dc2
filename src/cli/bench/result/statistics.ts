/** The middle of several values, and how far they spread. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** The spread of values; all zero when there are none. */
export function toSpread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const at = (index: number) => sorted[index] ?? 0;
  return {
    median: Number.isInteger(middle) ? (at(middle - 1) + at(middle)) / 2 : at(Math.floor(middle)),
    min: at(0),
    max: at(sorted.length - 1),
  };
}

/**
 * How many times the first values are the second ones, round by round, so that what disturbs the machine disturbs both
 * sides of a ratio. Rounds that only one side has played, or that gave nothing, are left out.
 */
export function toRatios(values: readonly number[], others: readonly number[]): Spread | undefined {
  const ratios = values.flatMap((value, round) => {
    const other = others[round];
    return other === undefined || other === 0 ? [] : [value / other];
  });
  return ratios.length === 0 ? undefined : toSpread(ratios);
}
