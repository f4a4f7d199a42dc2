import { countOutcomes, type SampleSize, type Verdict } from '../../checking/index.ts';
import { formatNumber } from '../shared/report/format.ts';
import { toSafeText } from '../shared/safe-text.ts';
import { adviceOnSecrets } from '../shared/secrets.ts';

/** How the report ends. */
export interface ClosingOptions {
  /** Whether passes and skips are shown, too. */
  readonly isVerbose: boolean;
  /** Whether only a part of the requirements was asked for. */
  readonly isPart: boolean;
  /** How much of each environment was looked at, if it was environments. */
  readonly sampled?: readonly SampleSize[] | undefined;
}

/** What a person may do about what was left out, and the verdict; of a failure, the command's own error tells it. */
export function* closingLines(
  verdict: Verdict,
  { isVerbose, isPart, sampled = [] }: ClosingOptions,
): Generator<string> {
  const { judgements } = verdict;
  const { warn, skip } = countOutcomes(judgements);
  const passive = judgements.filter((each) => each.verdict === 'skip' && each.reason?.includes('--active')).length;
  if (passive > 0) yield `${passive} skipped because they call tools: run them with --active`;
  const unready = judgements.filter((each) => each.verdict === 'skip' && each.reason?.startsWith('setup failed: '));
  const [{ reason = '' } = {}] = unready;
  if (unready.length > 0)
    yield `${unready.length} skipped because the ${toSafeText(reason)}. If it needs a secret, add --secret NAME`;
  const keyless = judgements.flatMap((each) => (each.verdict === 'skip' && adviceOnSecrets(each.reason ?? '')) || []);
  if (keyless[0] !== undefined) yield `${keyless.length} skipped because ${toSafeText(keyless[0])}`;
  const left = passive + unready.length + keyless.length;
  const others = skip - left;
  if (others > 0 && !isVerbose) yield `${others} ${skip > others ? 'more ' : ''}skipped: --verbose shows why`;
  const [begun, tasks] = [sum(sampled.map((each) => each.begun)), sum(sampled.map((each) => each.tasks))];
  if (begun < tasks) yield `${formatNumber(begun)} of ${formatNumber(tasks)} tasks were tried; --samples tries more`;
  if (warn === 1) yield '1 warning does not fail the check; --strict makes it count';
  if (warn > 1) yield `${warn} warnings do not fail the check; --strict makes them count`;
  if (verdict.passed) yield `${praise(verdict)}${isPart || left > 0 ? ', as far as it was checked' : ''}.`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function praise({ judgements }: Verdict): string {
  const { pass, warn, known } = countOutcomes(judgements);
  if (known > 0) return 'No new failures';
  if (pass + warn === 0) return 'Nothing failed';
  const protocols = new Set(judgements.map(({ protocol }) => protocol));
  // Warnings about environments are rules that are broken; about servers, they are beyond the standard.
  if (protocols.has('env')) return warn > 0 ? 'Passed, with warnings' : 'All rules passed';
  return `The server meets the ${protocols.size === 1 ? 'standard' : 'standards'}`;
}
