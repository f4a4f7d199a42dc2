import type { Histogram } from '../load/histogram.ts';
import { type BenchResult, type Contender, toComparison, toRamp, toTotal } from '../result/result.ts';
import type { Round } from '../result/round.ts';

/** Everything that was measured, for programs. */
export function toJson(result: BenchResult): Record<string, unknown> {
  const { plan, contenders, wasInterrupted } = result;
  const comparison = toComparison(result);
  const [first] = contenders;
  const ramp = plan.ramp === undefined || first === undefined ? undefined : toRamp(first.rounds, plan);
  return {
    unit: plan.unit,
    connections: plan.connections,
    rate: plan.rate ?? null,
    durationMs: plan.durationMs,
    warmUpMs: plan.warmUpMs,
    interrupted: wasInterrupted,
    servers: contenders.map(toServer),
    ...(comparison === undefined ? {} : { ratio: comparison }),
    ...(ramp === undefined ? {} : { ramp: { ...ramp, knee: ramp.knee === undefined ? null : ramp.steps[ramp.knee] } }),
  };
}

function toServer({ server, work, rounds }: Contender): Record<string, unknown> {
  const { latency, operations, ...total } = toTotal(rounds);
  const { protocol, environment, split, tool, input } = work;
  return {
    name: server.name,
    url: server.url,
    work: { protocol, environment, split, tool, input },
    ...total,
    latencyMs: toLatency(latency),
    operations: Object.fromEntries([...operations].map(([name, histogram]) => [name, toLatency(histogram)])),
    histogram: [...latency.buckets()].map(({ fromMicros, toMicros, count }) => [
      fromMicros / 1000,
      toMicros / 1000,
      count,
    ]),
    rounds: rounds.map(toRoundJson),
  };
}

function toRoundJson({ latency, operations: _, ...round }: Round): Record<string, unknown> {
  return { ...round, latencyMs: toLatency(latency) };
}

function toLatency(histogram: Histogram): Record<string, number> {
  const at = (share: number) => histogram.percentileMicros(share) / 1000;
  return {
    count: histogram.count,
    mean: histogram.meanMicros / 1000,
    min: histogram.minMicros / 1000,
    p50: at(0.5),
    p90: at(0.9),
    p99: at(0.99),
    p999: at(0.999),
    max: histogram.maxMicros / 1000,
  };
}
