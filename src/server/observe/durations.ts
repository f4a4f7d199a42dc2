import type { Histogram, Registry } from 'prom-client';

// From a tool that only looks something up to one that trains a model.
const BOUNDS_SECONDS: readonly number[] = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800];

/** How long things took, by the bounds of a histogram. prom-client's own takes 0.6 us each time; this a few ns. */
export class Durations {
  // One more, for what took longer than the last bound.
  readonly #counts: number[] = new Array(BOUNDS_SECONDS.length + 1).fill(0);
  #sumMs = 0;

  add(ms: number): void {
    let at = 0;
    while (at < BOUNDS_SECONDS.length && ms > (BOUNDS_SECONDS[at] as number) * 1000) at += 1;
    this.#counts[at] = (this.#counts[at] as number) + 1;
    this.#sumMs += ms;
  }

  /** As Prometheus wants it: each bucket has all that the smaller ones have. */
  read(): {
    buckets: readonly (readonly [bound: number | '+Inf', count: number])[];
    sumSeconds: number;
    count: number;
  } {
    let count = 0;
    const buckets = this.#counts.map((each, at) => {
      count += each;
      return [BOUNDS_SECONDS[at] ?? '+Inf', count] as const;
    });
    return { buckets, sumSeconds: this.#sumMs / 1000, count };
  }
}

/** What a published histogram is called, and where its numbers come from. */
export interface PublishedDurations {
  readonly name: string;
  readonly help: string;
  readonly read: () => Iterable<readonly [labels: Readonly<Record<string, string>>, durations: Durations]>;
}

/** Shows durations in a registry, which asks for them when somebody asks it. */
export function publishDurations(registry: Registry, { name, help, read }: PublishedDurations): void {
  const get = async () => ({ name, help, type: 'histogram', aggregator: 'sum', values: [...read()].flatMap(toValues) });
  const toValues = ([labels, durations]: readonly [Readonly<Record<string, string>>, Durations]) => {
    const { buckets, sumSeconds, count } = durations.read();
    return [
      ...buckets.map(([le, value]) => ({ metricName: `${name}_bucket`, labels: { ...labels, le }, value })),
      { metricName: `${name}_sum`, labels, value: sumSeconds },
      { metricName: `${name}_count`, labels, value: count },
    ];
  };
  // The registry only ever calls `get`; the type wants the class because it has no interface of that.
  registry.registerMetric({ name, get } as unknown as Histogram);
}
