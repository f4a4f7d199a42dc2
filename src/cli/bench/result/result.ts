import { Histogram } from '../load/histogram.ts';
import type { ErrorCount } from '../load/recorder.ts';
import type { Plan } from '../plan.ts';
import type { BenchServer } from '../servers/open.ts';
import { EPISODE_PARTS } from '../work/ors-episodes.ts';
import type { Work } from '../work/work.ts';
import { judgeRamp, type RampStep, type RampVerdict } from './ramp.ts';
import type { Round } from './round.ts';
import { type Spread, toRatios, toSpread } from './statistics.ts';

/** One server and what was measured of it. */
export interface Contender {
  readonly server: BenchServer;
  readonly work: Work;
  readonly rounds: readonly Round[];
}

/** All that a run has found. */
export interface BenchResult {
  readonly plan: Plan;
  /** The server that was asked about; after it the one it is compared with. */
  readonly contenders: readonly Contender[];
  readonly wasInterrupted: boolean;
}

/** The rounds of one server, taken together. */
export interface Total {
  readonly perSecond: Spread;
  readonly completed: number;
  readonly failed: number;
  readonly unsent: number;
  readonly latency: Histogram;
  readonly operations: ReadonlyMap<string, Histogram>;
  readonly errors: readonly ErrorCount[];
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

/** Takes the rounds of a server together: throughput as the median, all else added up. */
export function toTotal(rounds: readonly Round[]): Total {
  const sum = (pick: (round: Round) => number) => rounds.reduce((total, round) => total + pick(round), 0);
  const latency = new Histogram();
  for (const round of rounds) latency.add(round.latency);
  return {
    perSecond: toSpread(rounds.map(({ perSecond }) => perSecond)),
    completed: sum(({ completed }) => completed),
    failed: sum(({ failed }) => failed),
    unsent: sum(({ unsent }) => unsent),
    latency,
    operations: addOperations(rounds),
    errors: addErrors(rounds),
    sentBytes: sum(({ sentBytes }) => sentBytes),
    receivedBytes: sum(({ receivedBytes }) => receivedBytes),
  };
}

function addOperations(rounds: readonly Round[]): Map<string, Histogram> {
  const all = new Map<string, Histogram>();
  for (const name of EPISODE_PARTS) {
    const known = rounds.flatMap(({ operations }) => operations.get(name) ?? []);
    if (known.length === 0) continue;
    const total = new Histogram();
    for (const histogram of known) total.add(histogram);
    all.set(name, total);
  }
  return all;
}

function addErrors(rounds: readonly Round[]): ErrorCount[] {
  const all = new Map<string, ErrorCount>();
  for (const error of rounds.flatMap(({ errors }) => errors)) {
    const known = all.get(error.kind);
    all.set(error.kind, { ...error, ...known, count: error.count + (known?.count ?? 0) });
  }
  return [...all.values()].sort((a, b) => b.count - a.count);
}

/** How many times the first server is the second, round by round. */
export interface Comparison {
  readonly perSecond: Spread;
  readonly p50: Spread;
  readonly p99: Spread;
}

/** Compares the two servers of a run; undefined if there is one, or none has ended a round. */
export function toComparison({ contenders: [first, second] }: BenchResult): Comparison | undefined {
  if (first === undefined || second === undefined) return undefined;
  const ratios = (pick: (round: Round) => number) => toRatios(first.rounds.map(pick), second.rounds.map(pick));
  const perSecond = ratios((round) => round.perSecond);
  const p50 = ratios(({ latency }) => latency.percentileMicros(0.5));
  const p99 = ratios(({ latency }) => latency.percentileMicros(0.99));
  return perSecond && p50 && p99 && { perSecond, p50, p99 };
}

/** A ramp: its steps, and what they say. */
export interface Ramp extends RampVerdict {
  readonly kind: 'connections' | 'rate';
  readonly steps: readonly RampStep[];
}

/** Reads rounds as the steps of a ramp. */
export function toRamp(rounds: readonly Round[], plan: Plan): Ramp {
  const kind = plan.rate === undefined ? 'connections' : 'rate';
  const steps = rounds.map((round) => toStep(round, kind));
  const verdict = judgeRamp(steps, kind);
  return { kind, steps, ...verdict, end: verdict.end ?? (steps.length === plan.ramp?.length ? 'limit' : undefined) };
}

function toStep(round: Round, kind: 'connections' | 'rate'): RampStep {
  const { connections, rate = 0, perSecond, latency, failed, completed } = round;
  return {
    load: kind === 'rate' ? rate : connections,
    perSecond,
    p99Ms: latency.percentileMicros(0.99) / 1000,
    errorShare: failed / Math.max(1, failed + completed),
  };
}
