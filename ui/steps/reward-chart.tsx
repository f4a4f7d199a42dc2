import { type ReactElement, useMemo } from 'react';
import { formatReward, plural } from '../data/format.ts';
import { Chart, type ChartOptions } from '../parts/chart.tsx';
import { runningTotals, type ShownStep } from './shown-step.ts';

/** The running total of the reward, step by step; dashed, that of the branch it is compared with. */
export function RewardChart({
  steps,
  other,
}: {
  readonly steps: readonly ShownStep[];
  readonly other?: readonly ShownStep[] | undefined;
}): ReactElement {
  const data = useMemo(() => {
    const [mine, theirs] = [runningTotals(steps), runningTotals(other ?? [])];
    const length = Math.max(mine.length, theirs.length);
    const numbers = Array.from({ length }, (_, at) => at + 1);
    return [numbers, numbers.map((_, at) => mine[at] ?? null), numbers.map((_, at) => theirs[at] ?? null)] as [
      number[],
      (number | null)[],
      (number | null)[],
    ];
  }, [steps, other]);
  const total = runningTotals(steps).at(-1) ?? null;
  const label = `Running total of the reward: ${formatReward(total)} after ${plural(steps.length, 'step')}`;
  return <Chart options={options} data={data} height={130} label={label} />;
}

const options: ChartOptions = ({ accent, faint, line, soft }) => ({
  legend: { show: false },
  cursor: { y: false, points: { size: 7 } },
  padding: [8, 12, 0, 0],
  scales: {
    x: { time: false, range: (_, low, high) => [Math.min(low ?? 1, 1) - 0.2, Math.max(high ?? 1, 2) + 0.2] },
    y: { range: (_, low, high) => toRange(low, high) },
  },
  axes: [
    {
      stroke: soft,
      grid: { show: false },
      ticks: { show: false },
      size: 24,
      gap: 2,
      incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000],
      values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) && tick > 0 ? String(tick) : '')),
    },
    { stroke: soft, grid: { stroke: line, width: 1 }, ticks: { show: false }, size: 40, gap: 4, space: 36 },
  ],
  series: [
    {},
    { stroke: accent, width: 2, points: { show: true, size: 6, fill: accent, stroke: accent } },
    { stroke: faint, width: 1.5, dash: [3, 3], points: { show: false } },
  ],
});

/** Never flat, and always with 0 in it: a total only means something against that. */
function toRange(low: number | null, high: number | null): [number, number] {
  const [least, most] = [Math.min(0, low ?? 0), Math.max(0, high ?? 0)];
  if (least === most) return [-0.2, 1];
  const margin = (most - least) * 0.12;
  return [least - margin, most + margin];
}
