import { readFileSync } from 'node:fs';
import { checkServer, countOutcomes, type Judgement, judge, type KnownFailure, type Verdict } from 'tiltyard/testing';

/** A server that was checked. */
export interface Checked {
  /** As the table names it. */
  readonly name: string;
  readonly verdict: Verdict;
}

/** Checks a server with everything, beside what is known of it; hardening counts, so that nothing is left out. */
export async function checkBeside(url: string, baseline: readonly KnownFailure[]): Promise<Verdict> {
  return judge(await checkServer({ url, isActive: true }), { level: 'hardening', baseline });
}

/** The failures of a server that are known. */
export function readBaseline(name: string): KnownFailure[] {
  return JSON.parse(readFileSync(new URL(`baselines/${name}.json`, import.meta.url), 'utf8'));
}

/** The scores of servers and what each does otherwise, as docs/interop.md has them. */
export function toScores(checked: readonly Checked[]): string {
  const scores = checked.flatMap(({ name, verdict: { judgements } }) =>
    [...new Set(judgements.map(({ protocol }) => protocol))].map((protocol) => {
      const { pass, known, skip } = countOutcomes(judgements.filter((each) => each.protocol === protocol));
      return `| ${name} | ${protocol} | ${pass} | ${known} | ${skip} |`;
    }),
  );
  return [
    '| server | protocol | passed | failed | skipped |',
    '|---|---|---|---|---|',
    ...scores,
    '',
    '| | level | server | what it does |',
    '|---|---|---|---|',
    ...[...deviations(checked)].map(([key, { level, note, names }]) => {
      return `| ${key.split(' ')[0]} | ${level} | ${names.join(', ')} | ${note} |`;
    }),
  ].join('\n');
}

type Deviation = Pick<Judgement, 'level'> & { note: string; names: string[] };

// What several servers do alike is one line.
function deviations(checked: readonly Checked[]): Map<string, Deviation> {
  const found = new Map<string, Deviation>();
  for (const { name, verdict } of checked) {
    for (const { protocol, id, outcome, level, note = '' } of verdict.judgements) {
      if (outcome !== 'known') continue;
      const key = `${protocol}/${id} ${note}`;
      const { names } = found.get(key) ?? { names: [] };
      found.set(key, { level, note, names: [...names, name] });
    }
  }
  return found;
}
