import { type BenchResult, toComparison, toRamp, toTotal } from './result.ts';

/** Why a run counts as failed, for people and for CI; undefined if it does not. */
export function judge(result: BenchResult, failBelow: number | undefined): string | undefined {
  for (const { server, work, rounds } of result.contenders) {
    const { completed, errors } = toTotal(rounds);
    if (completed === 0)
      return `none of the ${work.unit} on ${server.name} went well${errors[0] === undefined ? '' : ` (${errors[0].kind})`}`;
  }
  if (failBelow === undefined) return undefined;
  return result.contenders.length > 1 ? judgeRatio(result, failBelow) : judgeRate(result, failBelow);
}

function judgeRatio(result: BenchResult, failBelow: number): string | undefined {
  const [first, second] = result.contenders;
  const ratio = toComparison(result)?.perSecond.median ?? 0;
  if (ratio >= failBelow) return undefined;
  return (
    `${first?.server.name} did ${ratio.toFixed(3)} times the ${first?.work.unit} of ${second?.server.name}, ` +
    `and --fail-below asks for ${failBelow}`
  );
}

function judgeRate({ plan, contenders: [first] }: BenchResult, failBelow: number): string | undefined {
  if (first === undefined) return undefined;
  const perSecond = plan.ramp === undefined ? toTotal(first.rounds).perSecond.median : kneeOf(first.rounds, plan);
  if (perSecond >= failBelow) return undefined;
  return `${first.server.name} did ${perSecond.toFixed(1)} ${first.work.unit}/s, and --fail-below asks for ${failBelow}`;
}

function kneeOf(...[rounds, plan]: Parameters<typeof toRamp>): number {
  const { knee, steps } = toRamp(rounds, plan);
  return knee === undefined ? 0 : (steps[knee]?.perSecond ?? 0);
}
