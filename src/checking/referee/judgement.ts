import type { CheckReport } from './check-server.ts';
import type { Finding, Level } from './probe.ts';
import { keyOf } from './selection.ts';

/** A failure that is known, and does not count again. */
export interface KnownFailure {
  /** `ors/D7`; without a protocol, of any. */
  readonly id: string;
  /** Why it is known. */
  readonly note?: string;
}

/** What a finding means for who asked. */
export type JudgementOutcome = 'pass' | 'fail' | 'warn' | 'known' | 'skip';

/** A finding with what it means. */
export interface Judgement extends Finding {
  readonly protocol: string;
  readonly outcome: JudgementOutcome;
  readonly note?: string;
}

/** What counts. */
export interface JudgeOptions {
  /** The weakest level whose failures count; others are warnings. Default: interop. */
  readonly level?: Level;
  /** Failures that are known, and do not count. */
  readonly baseline?: readonly KnownFailure[];
}

/** All findings with what they mean. */
export interface Verdict {
  readonly judgements: readonly Judgement[];
  /** Known failures that pass now. */
  readonly fixed: readonly KnownFailure[];
  readonly passed: boolean;
}

const WEIGHT: Readonly<Record<Level, number>> = { specified: 2, interop: 1, hardening: 0 };

/** Says what the findings of a check mean: which failures count, which are known, and which known ones are mended. */
export function judge(report: CheckReport, { level = 'interop', baseline = [] }: JudgeOptions = {}): Verdict {
  const judgements = report.protocols.flatMap(({ name, findings }) =>
    findings.map((finding): Judgement => {
      const known = baseline.find((entry) => isFor(entry, name, finding.id));
      const outcome = outcomeOf(finding, level, known);
      const { note } = known ?? {};
      return { ...finding, protocol: name, outcome, ...(note === undefined ? {} : { note }) };
    }),
  );
  const fixed = baseline.filter((entry) => {
    // Several environments have a finding each for the same rule.
    const meant = judgements.filter(({ protocol, id }) => isFor(entry, protocol, id));
    return meant.some(({ verdict }) => verdict === 'pass') && meant.every(({ verdict }) => verdict !== 'fail');
  });
  return { judgements, fixed, passed: judgements.every(({ outcome }) => outcome !== 'fail') };
}

/** The failures of a check, to be known from now on. */
export function toBaseline({ judgements }: Verdict): KnownFailure[] {
  const failures = judgements.filter(({ verdict }) => verdict === 'fail');
  const notes = new Map<string, string>();
  for (const { protocol, id, reason = '', note = reason } of failures) {
    const key = keyOf(protocol, id);
    if (!notes.has(key)) notes.set(key, note);
  }
  return [...notes].map(([id, note]) => ({ id, note }));
}

/** How many of each outcome there are. */
export function countOutcomes(judgements: readonly Judgement[]): Record<JudgementOutcome, number> {
  const counts: Record<JudgementOutcome, number> = { pass: 0, fail: 0, warn: 0, known: 0, skip: 0 };
  for (const { outcome } of judgements) counts[outcome] += 1;
  return counts;
}

function outcomeOf({ verdict, level }: Finding, least: Level, known: KnownFailure | undefined): JudgementOutcome {
  if (verdict !== 'fail') return verdict;
  if (known !== undefined) return 'known';
  return WEIGHT[level] >= WEIGHT[least] ? 'fail' : 'warn';
}

function isFor({ id: wanted }: KnownFailure, protocol: string, id: string): boolean {
  return wanted === keyOf(protocol, id) || wanted === id;
}
