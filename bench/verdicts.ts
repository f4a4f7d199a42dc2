/** What was aimed at, and what came out. */
export interface Verdict {
  readonly what: string;
  readonly found: string;
  readonly aim: string;
  readonly isMet: boolean;
}

/** Prints what was aimed at, and whether it was met. */
export function printVerdicts(verdicts: readonly Verdict[]): void {
  const width = Math.max(...verdicts.map(({ what }) => what.length));
  process.stdout.write('\n');
  for (const { what, found, aim, isMet } of verdicts)
    process.stdout.write(`${isMet ? 'met    ' : 'NOT MET'} ${what.padEnd(width)}  ${found}   (aim: ${aim})\n`);
}

interface Ratio {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/** A share of the floor, as percent. */
export function atLeastShare(what: string, ratio: Ratio, aim: number): Verdict {
  const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
  const range = `${percent(ratio.lowest)} to ${percent(ratio.highest)}`;
  return {
    what,
    found: `${percent(ratio.median)} (${range})`,
    aim: `at least ${percent(aim)}`,
    isMet: ratio.median >= aim,
  };
}

/** So many times as fast. */
export function atLeastTimes(what: string, ratio: Ratio, aim: number): Verdict {
  const range = `${ratio.lowest.toFixed(1)}x to ${ratio.highest.toFixed(1)}x`;
  return {
    what,
    found: `${ratio.median.toFixed(1)}x (${range})`,
    aim: `at least ${aim}x`,
    isMet: ratio.median >= aim,
  };
}

/** The same, or more by a share of it at the most; less is as good. */
export function atMostMore(what: string, ratio: Ratio, aim: number): Verdict {
  const percent = (times: number) => `${times > 1 ? '+' : ''}${((times - 1) * 100).toFixed(0)} %`;
  const found = `${percent(ratio.median)} (${percent(ratio.lowest)} to ${percent(ratio.highest)})`;
  return { what, found, aim: `at most ${aim * 100} % more`, isMet: ratio.median <= 1 + aim };
}

/** No longer than so many seconds. */
export function atMostSeconds(what: string, ms: number, aimMs: number): Verdict {
  const seconds = (value: number) => `${(value / 1000).toFixed(1)} s`;
  return { what, found: seconds(ms), aim: `at most ${seconds(aimMs)}`, isMet: ms <= aimMs };
}
