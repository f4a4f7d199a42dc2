import type { ReactElement } from 'react';
import type { TaskCell } from '../../../src/studio/api.ts';
import { to } from '../../app/route.ts';
import { formatReward } from '../../data/format.ts';
import { stopName } from './names.ts';

/** The repeats of a task: a small square for each, which leads to its episode. */
export function Cells({
  run,
  cells,
  pass,
  text,
}: {
  readonly run: string;
  readonly cells: readonly (TaskCell | null)[];
  readonly pass: number;
  /** What is looked for. */
  readonly text?: string | undefined;
}): ReactElement {
  return (
    <span className="cells">
      {cells.map((cell, repeat) => {
        const label = `Repeat ${repeat + 1}: ${labelOf(cell, pass)}`;
        // biome-ignore lint/suspicious/noArrayIndexKey: a repeat is known by its place.
        return <Cell key={repeat} run={run} cell={cell} label={label} pass={pass} text={text} />;
      })}
    </span>
  );
}

interface CellProps {
  readonly run: string;
  readonly cell: TaskCell | null;
  readonly label: string;
  readonly pass: number;
  readonly text: string | undefined;
}

function Cell({ run, cell, label, pass, text }: CellProps): ReactElement {
  if (cell === null) return <i className="cell waiting" role="img" aria-label={label} title={label} />;
  const address = to(['runs', run, 'episodes', cell.episode], { text: cell.hasText && text });
  return (
    <a className={`cell ${toneOf(cell, pass)}${cell.hasText ? ' match' : ''}`} href={address} title={label}>
      <span className="said">{label}</span>
    </a>
  );
}

/** passed, partly (some reward, but too little), failed, or not scored. */
function toneOf({ reward }: Pick<TaskCell, 'reward'>, pass: number): 'passed' | 'partly' | 'failed' | 'unscored' {
  if (reward === null) return 'unscored';
  if (reward >= pass) return 'passed';
  return reward > 0 ? 'partly' : 'failed';
}

function labelOf(cell: TaskCell | null, pass: number): string {
  if (cell === null) return 'not played yet';
  const words = { passed: 'passed', partly: 'did not pass', failed: 'failed', unscored: 'not scored' }[
    toneOf(cell, pass)
  ];
  const reward = cell.reward === null ? '' : `, reward ${formatReward(cell.reward)}`;
  return `${words}${reward}, ${stopName(cell.stop)}${cell.hasText ? ', has the text' : ''}`;
}
