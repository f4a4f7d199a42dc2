import { Counter, Gauge, type Histogram as PrometheusHistogram, type Registry } from 'prom-client';
import type { Histogram } from './numbers.ts';

/** Something whose numbers a server shows. */
export interface Published {
  /** Adds them to a registry, which asks for their values when somebody asks it. */
  publish(registry: Registry): void;
  /** Begins to measure; left out where somebody else tells of what is counted. */
  start?(): void;
  close?(): void;
}

type Labels = Readonly<Record<string, string>>;

interface PublishedMetric<Values> {
  readonly name: string;
  readonly help: string;
  readonly read: () => Values;
}

/** The only value, or each one with its labels. */
type Values = number | Iterable<readonly [labels: Labels, value: number]>;

/** What a published counter or gauge is called, and where its values come from. */
export interface PublishedNumber<Read = Values> extends PublishedMetric<Read> {
  readonly labelNames?: readonly string[];
}

/** Shows what only grows. */
export function publishCounter(registry: Registry, { read, ...shown }: PublishedNumber): void {
  new Counter({
    ...shown,
    registers: [registry],
    collect() {
      // A counter can only be added to, and what is read is the whole.
      this.reset();
      for (const [labels, value] of toPairs(read())) this.inc(labels, value);
    },
  });
}

/** Shows what grows and shrinks, or never changes. */
export function publishGauge(registry: Registry, { read, ...shown }: PublishedNumber<Values | Promise<Values>>): void {
  new Gauge({
    ...shown,
    registers: [registry],
    async collect() {
      for (const [labels, value] of toPairs(await read())) this.set(labels, value);
    },
  });
}

function toPairs(values: Values): Exclude<Values, number> {
  return typeof values === 'number' ? [[{}, values]] : values;
}

/** Shows histograms. */
export function publishHistogram(
  registry: Registry,
  { name, help, read }: PublishedMetric<Iterable<readonly [labels: Labels, histogram: Histogram]>>,
): void {
  const get = async () => ({ name, help, type: 'histogram', aggregator: 'sum', values: [...read()].flatMap(toValues) });
  const toValues = ([labels, histogram]: readonly [Labels, Histogram]) => {
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
