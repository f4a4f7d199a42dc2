/** What one step of a ramp gave. */
export interface RampStep {
  /** Connections, or units a second that were asked for. */
  readonly load: number;
  readonly perSecond: number;
  readonly p99Ms: number;
  /** From 0 to 1. */
  readonly errorShare: number;
}

/** Why a ramp ends. */
export type RampEnd = 'throughput' | 'behind' | 'latency' | 'errors' | 'limit';

/** What the steps so far say. */
export interface RampVerdict {
  /** The step up to which more load was worth it; undefined if the first one failed already. */
  readonly knee: number | undefined;
  /** Undefined: go on. */
  readonly end: RampEnd | undefined;
}

const WORTHWHILE_GAIN = 1.1;
// One step without a gain may be noise; a second one is not.
const FLAT_STEPS = 2;
const KEPT_SHARE = 0.9;
const MAX_ERROR_SHARE = 0.01;
// Twice the load doubles the latency of a server that is full; this is more than that, and more than a hiccup.
const EXPLOSION_FACTOR = 5;
const EXPLOSION_MS = 100;

/** Judges the steps of a ramp: whether it goes on, and where the knee is. */
export function judgeRamp(steps: readonly RampStep[], kind: 'connections' | 'rate'): RampVerdict {
  let knee: number | undefined;
  let flat = 0;
  for (const [index, step] of steps.entries()) {
    const trouble = troubleOf(step, steps[index - 1], kind);
    if (trouble !== undefined) return { knee, end: trouble };
    const best = knee === undefined ? 0 : (steps[knee]?.perSecond ?? 0);
    if (step.perSecond >= best * WORTHWHILE_GAIN) {
      knee = index;
      flat = 0;
    } else if (++flat === FLAT_STEPS) return { knee, end: 'throughput' };
  }
  return { knee, end: undefined };
}

function troubleOf(step: RampStep, before: RampStep | undefined, kind: 'connections' | 'rate'): RampEnd | undefined {
  if (step.errorShare > MAX_ERROR_SHARE || step.perSecond === 0) return 'errors';
  if (kind === 'rate' && step.perSecond < step.load * KEPT_SHARE) return 'behind';
  if (before !== undefined && step.p99Ms > EXPLOSION_MS && step.p99Ms > before.p99Ms * EXPLOSION_FACTOR)
    return 'latency';
  return undefined;
}

/** Why a ramp ended, in words. */
export function describeEnd(end: RampEnd): string {
  return {
    throughput: 'more connections gave less than 10 % more',
    behind: 'the server fell behind the rate that was asked for',
    latency: 'the 99th percentile rose to more than five times that of the step before',
    errors: 'more than 1 % failed',
    limit: 'the ramp reached its limit, and the server may be able to do more',
  }[end];
}
