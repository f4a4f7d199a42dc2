import type { TaskCell, TaskFilter, TaskQuery, TaskRow, TaskTable } from './api.ts';

// Also run by the page of an exported site: no imports but types.

/** How many rows an answer has at most. */
export const MOST_ROWS = 1_000;

const DEFAULT_ROWS = 100;

/** What cannot be seen in a row: which tasks a text was found in. Without it, the text is looked for in the row itself. */
export interface FoundText {
  has(index: number): boolean;
}

/** The rows of a table that fit a query, sorted, and those of them that were asked for. */
export function selectTasks(rows: Iterable<TaskRow>, query: TaskQuery, found?: FoundText): TaskTable {
  const { total, matched } = matchTasks(rows, query, found);
  const { start, stop } = rangeOf(query);
  return { total, matched: matched.length, start, rows: matched.slice(start, stop) };
}

/** How many rows there are, and those that fit a query, sorted. */
export function matchTasks(
  rows: Iterable<TaskRow>,
  query: TaskQuery,
  found?: FoundText,
): { readonly total: number; readonly matched: readonly TaskRow[] } {
  const { sort = 'index', order = 'asc' } = query;
  const fits = toFilter(query, found);
  const sign = order === 'asc' ? 1 : -1;
  let total = 0;
  const matched: { readonly row: TaskRow; readonly key: number | null }[] = [];
  for (const row of rows) {
    total += 1;
    if (fits(row)) matched.push({ row, key: KEYS[sort](row) });
  }
  matched.sort((one, other) => compareKeys(one.key, other.key, sign) || one.row.index - other.row.index);
  return { total, matched: matched.map(({ row }) => row) };
}

/** Which of the matching rows are asked for. */
export function rangeOf({ start = 0, stop = start + DEFAULT_ROWS }: TaskQuery): { start: number; stop: number } {
  return { start, stop: Math.min(stop, start + MOST_ROWS) };
}

/** The task that a text names, such as `#7`: it is not looked for anywhere else. */
export function taskNumber(text: string): number | undefined {
  const [, digits] = /^#(\d{1,15})$/.exec(text.trim()) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

const KEYS: Readonly<Record<NonNullable<TaskQuery['sort']>, (row: TaskRow) => number | null>> = {
  index: ({ index }) => index,
  mean: ({ mean }) => mean,
  spread: ({ spread }) => spread,
  steps: (row) => sumOf(row, ({ steps }) => steps),
  tokens: (row) => sumOf(row, ({ tokens }) => tokens),
  ms: (row) => sumOf(row, ({ ms }) => ms),
};

function sumOf({ cells }: TaskRow, pick: (cell: TaskCell) => number): number {
  return cells.reduce((sum, cell) => sum + (cell === null ? 0 : pick(cell)), 0);
}

// What is not known comes last in either order.
function compareKeys(one: number | null, other: number | null, sign: number): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return sign * (one - other);
}

/** Whether a row passes each of the filters. */
export const TASK_FILTERS: Readonly<Record<TaskFilter, (row: TaskRow) => boolean>> = {
  failed: ({ passed, valid }) => passed < valid,
  passed: ({ passed, valid }) => valid > 0 && passed === valid,
  different: ({ spread }) => spread !== null && spread > 0,
  missing: ({ valid, cells }) => valid < cells.length,
};

function toFilter(
  { filter, stop_reason: reason, text = '' }: TaskQuery,
  found: FoundText | undefined,
): (row: TaskRow) => boolean {
  const wanted = text.trim().toLowerCase();
  const tests: ((row: TaskRow) => boolean)[] = [];
  if (filter !== undefined) tests.push(TASK_FILTERS[filter]);
  if (reason !== undefined) tests.push(({ cells }) => cells.some((cell) => cell?.stop === reason));
  const task = taskNumber(wanted);
  if (task !== undefined) tests.push(({ index }) => index === task);
  else if (wanted !== '') tests.push((row) => hasText(row, wanted) || found?.has(row.index) === true);
  return (row) => tests.every((test) => test(row));
}

function hasText({ index, cells }: TaskRow, wanted: string): boolean {
  return String(index).includes(wanted) || cells.some((cell) => cell?.stop.includes(wanted));
}
