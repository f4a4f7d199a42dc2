/** Where a value is on an axis, and the values that are written beside it. */
export interface Axis {
  /** From 0 (the least value) to 1 (the greatest). */
  readonly place: (value: number) => number;
  readonly ticks: readonly Tick[];
}

/** A value that is written on an axis. */
export interface Tick {
  readonly value: number;
  readonly label: string;
}

/** An axis from zero in equal steps, which are round numbers. */
export function linearAxis(most: number, format: (value: number) => string): Axis {
  const step = roundStep((most || 1) / 4);
  const top = Math.max(step, Math.ceil((most || 1) / step) * step);
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step);
  return { place: (value) => value / top, ticks: ticks.map((value) => ({ value, label: format(value) })) };
}

/** An axis on which each step is a multiple of the one before, for values that differ by orders of magnitude. */
export function logAxis([least, most]: readonly [number, number], format: (value: number) => string): Axis {
  const values = roundValues(least, most);
  // Only the powers of ten where all would be too many, and the ends.
  const shown = values.length > MAX_TICKS ? values.filter((value) => Number.isInteger(Math.log10(value))) : values;
  const ticks = shown.map((value) => ({ value, label: format(value) }));
  return { place: placeBetween(values[0] ?? least, values.at(-1) ?? most), ticks };
}

const MAX_TICKS = 8;

function placeBetween(low: number, high: number): Axis['place'] {
  const span = Math.log(high / low) || 1;
  return (value) => Math.min(1, Math.max(0, Math.log(Math.max(value, low) / low) / span));
}

/** An axis with the ticks that are given, spread logarithmically. */
export function namedAxis(ticks: readonly Tick[]): Axis {
  const values = ticks.map(({ value }) => value);
  return { place: placeBetween(Math.min(...values), Math.max(...values)), ticks };
}

/** 1, 2 and 5 of each power of ten, from the last one below to the first one above. */
function roundValues(least: number, most: number): number[] {
  const first = Math.floor(Math.log10(least));
  const powers = Array.from({ length: Math.ceil(Math.log10(most)) - first + 1 }, (_, index) => first + index);
  // By text: 10 ** -1 * 2 and its like are not round.
  const values = powers.flatMap((power) => [1, 2, 5].map((factor) => Number(`${factor}e${power}`)));
  const from = values.findLastIndex((value) => value <= least);
  const to = values.findIndex((value) => value >= most);
  return values.slice(Math.max(0, from), Math.max(from + 2, to + 1));
}

function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  return ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= step) ?? 10) * power;
}
