import type { RunFile } from '../../rollouts/index.ts';
import { formatCount } from '../shared/report/format.ts';

/** Says that a split has fewer tasks than --n asked for; undefined if it has as many. */
export function fewerTasksNote({ identity, selection, tasks }: RunFile): string | undefined {
  const { from, n, indices } = selection;
  if (tasks === null || indices !== null || n === null || tasks.count >= n) return undefined;
  const place = from === 0 ? '' : ` from task ${from} on`;
  return `Split '${identity.split}' has only ${formatCount(tasks.count, 'task')}${place}: the run has ${tasks.count}, not ${n}.`;
}
