import type { Progress } from '../../rollouts/index.ts';
import { formatDuration } from '../shared/report/format.ts';
import { describeStops, markOf } from '../shared/runs/summary-text.ts';

/** Shows how a run goes. */
export interface Display extends Disposable {
  start(progress: Progress): void;
}

const FRAME_MS = 200;
// Elsewhere lines stay, so there are few of them.
const LINE_MS = 10_000;

/** A few lines that change on a terminal; a plain line now and then elsewhere. Both on standard error. */
export function showProgress(): Display {
  const { stderr } = process;
  const isLive = stderr.isTTY === true && process.env.TERM !== 'dumb';
  let timer: NodeJS.Timeout | undefined;
  let drawn = 0;
  const erase = () => {
    if (drawn > 0) stderr.write(`\x1b[${drawn}A\x1b[0J`);
    drawn = 0;
  };
  const draw = (progress: Progress) => {
    const lines = toLiveLines(progress, stderr.columns ?? 80);
    erase();
    stderr.write(`${lines.join('\n')}\n`);
    drawn = lines.length;
  };
  return {
    start(progress) {
      const show = isLive ? () => draw(progress) : () => void stderr.write(`${toPlainLine(progress)}\n`);
      if (isLive) show();
      timer = setInterval(show, isLive ? FRAME_MS : LINE_MS);
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      erase();
    },
  };
}

const BAR_WIDTH = 30;

/** What is drawn on a terminal. */
function toLiveLines(progress: Progress, columns: number): string[] {
  const { state, active, limit } = progress;
  const share = state.planned === 0 ? 1 : state.done / state.planned;
  const filled = Math.round(share * BAR_WIDTH);
  const bar = `${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}`;
  const failures = describeStops(state.counts.stops);
  const lines = [
    `[${bar}] ${state.done}/${state.planned} episodes, ${toPace(progress)}`,
    `reward ${toReward(progress)}`,
    `${toSpent(progress)}${active} of ${limit} open`,
    ...(failures === '' ? [] : [`failures: ${failures}`]),
  ];
  return lines.map((line) => line.slice(0, columns - 1));
}

/** What is written where nobody watches. */
function toPlainLine(progress: Progress): string {
  const { state } = progress;
  const failures = describeStops(state.counts.stops);
  return `${state.done}/${state.planned} episodes, ${toPace(progress)}, reward ${toReward(progress)} ${toSpent(progress)}${failures === '' ? '' : `failures: ${failures}`}`.trimEnd();
}

function toPace({ state, before, elapsedMs }: Progress): string {
  const rate = ((state.done - before) * 1000) / Math.max(1, elapsedMs);
  const left = rate === 0 ? '' : `, ${formatDuration(((state.planned - state.done) / rate) * 1000)} left`;
  return `${rate >= 10 ? Math.round(rate) : rate.toFixed(2)}/s${left}`;
}

function toReward({ reward }: Progress): string {
  if (reward === undefined) return '-';
  return reward.standardError === undefined
    ? reward.mean.toFixed(3)
    : `${reward.mean.toFixed(3)} ± ${reward.standardError.toFixed(3)} (standard error)`;
}

function toSpent({ state: { counts } }: Progress): string {
  const tokens = counts.tokens.input + counts.tokens.output;
  if (tokens === 0) return '';
  return `${tokens.toLocaleString('en-US')} tokens${markOf(counts.tokens)}${counts.usd > 0 ? `, $${counts.usd.toFixed(2)}` : ''}   `;
}
