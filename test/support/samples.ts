/** One line of /metrics. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The lines of Prometheus's text format that hold numbers. */
export function toSamples(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (value === undefined) throw new Error(`this is no sample: ${line}`);
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text]);
      return { name, labels: Object.fromEntries(pairs), value: Number(value.replace('Inf', 'Infinity')) };
    });
}

/** The values of a metric by one of its labels, of those samples that have the others. */
export function byLabel(
  samples: readonly Sample[],
  { name, label, having = {} }: { name: string; label: string; having?: Record<string, string> },
): Record<string, number> {
  const wanted = samples.filter(
    (sample) => sample.name === name && Object.entries(having).every(([key, value]) => sample.labels[key] === value),
  );
  return Object.fromEntries(wanted.map(({ labels, value }) => [labels[label] ?? '', value]));
}
