import {
  type CheckReport,
  countOutcomes,
  type Judgement,
  type JudgementOutcome,
  type Verdict,
} from '../../checking/index.ts';
import { toSafeText } from '../shared/safe-text.ts';
import { toTable } from '../shared/table.ts';
import type { Colors } from '../shared/terminal.ts';
import { type ClosingOptions, closingLines } from './closing-lines.ts';
import { exchangeLines } from './exchange-text.ts';

/** How the report is written. */
export interface ReportOptions extends ClosingOptions {
  readonly colors: Colors;
  /** What was checked: a URL, or the module that was served for the check. */
  readonly name: string;
}

/** The report for people: what failed with what was sent and received, and a score for each group and in all. */
export function* reportLines(
  { url, protocols }: CheckReport,
  verdict: Verdict,
  { colors, name: target, ...closing }: ReportOptions,
): Generator<string> {
  const { isVerbose } = closing;
  for (const { name } of protocols) {
    const judgements = verdict.judgements.filter(({ protocol }) => protocol === name);
    const shown = judgements.filter((each) => isShown(each, isVerbose));
    const idWidth = Math.max(4, ...shown.map(({ id }) => id.length));
    yield colors.bold(`${name} at ${toSafeText(target)}`);
    yield '';
    for (const [group, members] of byGroup(judgements)) {
      yield `${colors.bold(toSafeText(group))}  ${scoreOf(members)}`;
      for (const judgement of members)
        if (shown.includes(judgement)) yield* judgementLines(judgement, { url, colors, isVerbose, idWidth });
    }
    yield '';
  }
  for (const { id } of verdict.fixed) yield `fixed: ${toSafeText(id)} passes now. Remove it from the baseline`;
  yield* summaryLines(verdict, colors);
  yield* closingLines(verdict, closing);
}

function byGroup(judgements: readonly Judgement[]): Map<string, Judgement[]> {
  const groups = new Map<string, Judgement[]>();
  for (const each of judgements) groups.set(each.group, [...(groups.get(each.group) ?? []), each]);
  return groups;
}

function isShown({ outcome }: Judgement, isVerbose: boolean): boolean {
  return isVerbose || (outcome !== 'pass' && outcome !== 'skip');
}

function scoreOf(judgements: readonly Judgement[]): string {
  const { pass, skip } = countOutcomes(judgements);
  const tried = judgements.length - skip;
  return tried === 0 ? 'all skipped' : `${pass} of ${tried} passed`;
}

function* judgementLines(
  { id, outcome, level, requirement, source, reason, note, advice, exchanges }: Judgement,
  {
    url,
    colors,
    isVerbose,
    idWidth,
  }: Pick<ReportOptions, 'colors' | 'isVerbose'> & { readonly url: string; readonly idWidth: number },
): Generator<string> {
  yield `  ${badge(outcome, colors)} ${id.padEnd(idWidth)} ${requirement}`;
  const indent = ' '.repeat(13);
  if (reason !== undefined) yield* indented(toSafeText(reason), indent);
  if (outcome === 'known' && note !== undefined && note !== reason)
    yield* indented(`known: ${toSafeText(note)}`, indent);
  if (outcome === 'pass' || outcome === 'skip') return;
  if (advice !== undefined) yield `${indent}fix: ${advice}`;
  yield indent + colors.dim(`${level}: ${source}`);
  if (outcome === 'known' && !isVerbose) return;
  // The last exchange is the one that failed; those before it led there.
  for (const exchange of isVerbose ? exchanges : exchanges.slice(-1)) {
    for (const line of exchangeLines(url, exchange)) yield indent + colors.dim(line);
  }
}

function indented(text: string, indent: string): string[] {
  return text.split('\n').map((line) => indent + line);
}

const BADGES: Readonly<
  Record<JudgementOutcome, readonly [text: string, color: 'green' | 'red' | 'yellow' | 'cyan' | 'dim']>
> = {
  pass: ['pass ', 'green'],
  fail: ['FAIL ', 'red'],
  warn: ['warn ', 'yellow'],
  known: ['known', 'cyan'],
  skip: ['skip ', 'dim'],
};

function badge(outcome: JudgementOutcome, colors: Colors): string {
  const [text, color] = BADGES[outcome];
  return colors[color](text);
}

function* summaryLines({ judgements }: Verdict, colors: Colors): Generator<string> {
  const names = [...new Set(judgements.map(({ protocol }) => protocol))];
  const rows = names.map((name) => {
    const { pass, fail, warn, known, skip } = countOutcomes(judgements.filter(({ protocol }) => protocol === name));
    const failed = fail === 0 ? 'none failed' : colors.red(`${fail} failed`);
    const warned = `${warn} ${warn === 1 ? 'warning' : 'warnings'}`;
    return [colors.bold(name), `${pass} passed`, failed, warned, `${known} known`, `${skip} skipped`];
  });
  yield* toTable(rows);
}
