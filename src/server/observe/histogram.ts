import type { Histogram as PrometheusHistogram, Registry } from 'prom-client';
import type { Histogram } from './numbers.ts';

/** What a published histogram is called, and where its numbers come from. */
export interface PublishedHistogram {
  readonly name: string;
  readonly help: string;
  readonly read: () => Iterable<readonly [labels: Readonly<Record<string, string>>, histogram: Histogram]>;
}

/** Shows histograms in a registry, which asks for them when somebody asks it. */
export function publishHistogram(registry: Registry, { name, help, read }: PublishedHistogram): void {
  const get = async () => ({ name, help, type: 'histogram', aggregator: 'sum', values: [...read()].flatMap(toValues) });
  const toValues = ([labels, histogram]: readonly [Readonly<Record<string, string>>, Histogram]) => {
    const { buckets, sum, count } = histogram.read();
    return [
      ...buckets.map(([le, value]) => ({ metricName: `${name}_bucket`, labels: { ...labels, le }, value })),
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  };
  // The registry only ever calls `get`; the type wants the class because it has no interface of that.
  registry.registerMetric({ name, get } as unknown as PrometheusHistogram);
}
