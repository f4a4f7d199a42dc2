import type { ReactElement } from 'react';
import type { RunDetail } from '../../../src/studio/api.ts';
import { plural } from '../../data/format.ts';

type Bins = RunDetail['rewards'];

/** How many values fell into which range, as bars. */
export function Histogram({
  bins: all,
  format,
  label,
}: {
  readonly bins: Bins;
  readonly format: (value: number) => string;
  readonly label: string;
}): ReactElement {
  const bins = withoutEmptyEnds(all);
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return <p className="soft">Nothing to show yet.</p>;
  const tallest = bins.find(({ count }) => count === most);
  const summary =
    tallest === undefined ? '' : `, most of them (${most}) from ${format(tallest.from)} to ${format(tallest.to)}`;
  return (
    <figure className="histogram">
      <div className="bars" role="img" aria-label={`${label}: ${plural(total, 'value')}${summary}`}>
        {bins.map(({ from, to, count }) => (
          <div key={from} title={`${format(from)} to ${format(to)}: ${count}`}>
            <span className="n">{count > 0 && bins.length <= 24 ? count : ''}</span>
            <i style={{ height: `${(count / most) * 100}%` }} className={count === 0 ? 'empty' : ''} />
          </div>
        ))}
      </div>
      <figcaption>
        <span>{format(bins[0]?.from ?? 0)}</span>
        <span>{format(bins.at(-1)?.to ?? 0)}</span>
      </figcaption>
    </figure>
  );
}

function withoutEmptyEnds(bins: Bins): Bins {
  const isFull = ({ count }: Bins[number]) => count > 0;
  return bins.slice(Math.max(0, bins.findIndex(isFull)), bins.findLastIndex(isFull) + 1);
}
