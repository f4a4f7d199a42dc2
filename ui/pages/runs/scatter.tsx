import type { ReactElement } from 'react';
import type { ComparedTask } from '../../../src/studio/api.ts';
import { formatNumber, plural } from '../../data/format.ts';

const SIZE = 260;
const EDGE = 30;

/** Each task by its means in two runs: above the line, the second did better. */
export function Scatter({
  points,
  names,
}: {
  readonly points: readonly ComparedTask[];
  readonly names: readonly [first: string, second: string];
}): ReactElement {
  const values = points.flatMap(({ first, second }) => [first, second]);
  const [low, high] = [Math.min(0, ...values), Math.max(0.1, ...values)];
  const place = (value: number) => EDGE + ((value - low) / (high - low)) * (SIZE - EDGE - 8);
  const above = points.filter(({ first, second }) => second > first).length;
  const below = points.filter(({ first, second }) => second < first).length;
  return (
    <svg
      className="scatter"
      viewBox={`0 -16 ${SIZE} ${SIZE + 16}`}
      role="img"
      aria-label={`Tasks by their means: ${above} better in ${names[1]}, ${below} better in ${names[0]}, ${plural(points.length, 'task')} in all`}
    >
      <path className="axis" d={`M${EDGE} 8V${SIZE - EDGE}H${SIZE - 8}`} />
      <path className="even" d={`M${place(low)} ${SIZE - place(low)}L${place(high)} ${SIZE - place(high)}`} />
      {gathered(points).map(({ first, second, count }) => (
        <circle
          key={`${first} ${second}`}
          className={second > first ? 'better' : second < first ? 'worse' : 'even'}
          cx={place(first)}
          cy={SIZE - place(second)}
          r={Math.min(14, 2.5 + Math.sqrt(count) * 1.3)}
        >
          <title>
            {plural(count, 'task')}: {formatNumber(first, 2)} to {formatNumber(second, 2)}
          </title>
        </circle>
      ))}
      <text x={EDGE} y={SIZE - 10}>
        {formatNumber(low, 2)}
      </text>
      <text x={SIZE - 8} y={SIZE - 10} textAnchor="end">{`${names[0]}: ${formatNumber(high, 2)}`}</text>
      <text x={EDGE} y={-6}>{`${names[1]}: ${formatNumber(high, 2)}`}</text>
    </svg>
  );
}

/** Tasks at the same place as one point that knows how many they are. */
function gathered(
  points: readonly ComparedTask[],
): { readonly first: number; readonly second: number; readonly count: number }[] {
  const places = new Map<string, { first: number; second: number; count: number }>();
  for (const { first, second } of points) {
    const key = `${first.toFixed(2)} ${second.toFixed(2)}`;
    const known = places.get(key);
    if (known === undefined) places.set(key, { first, second, count: 1 });
    else known.count += 1;
  }
  return [...places.values()];
}
