import type { TaskCell, TaskQuery, TaskTable } from '../api.ts';
import { matchTasks, rangeOf } from '../select-tasks.ts';
import type { RunIndex } from './run-index.ts';
import type { TextSearch } from './search/text-search.ts';

// Of a few tabs, with the filters that somebody goes back and forth between.
const KEPT = 8;

/** Tables of tasks by pages: which tasks are in a table, and in which order, is found out once for all of its pages. */
export class TaskTables {
  /** By run, version and query; the one that was asked for last is at the end. */
  readonly #matches = new Map<string, Matches>();

  /** Some rows of a table; with a search, of what it has found so far. */
  page(index: RunIndex, query: TaskQuery, search?: TextSearch): TaskTable {
    const { total, tasks } = this.#match(index, query, search);
    const { start, stop } = rangeOf(query);
    const rows = Array.from(tasks.subarray(start, stop), (task) => index.row(task));
    const table = { total, matched: tasks.length, start, rows };
    return search === undefined ? table : withMatches(table, search);
  }

  #match(index: RunIndex, { start, stop, ...query }: TaskQuery, search: TextSearch | undefined): Matches {
    const key = JSON.stringify([index.folder, index.version, search?.progress.read, query]);
    const matches = this.#matches.get(key) ?? find(index, query, search);
    this.#matches.delete(key);
    this.#matches.set(key, matches);
    const [oldest] = this.#matches.keys();
    if (this.#matches.size > KEPT && oldest !== undefined) this.#matches.delete(oldest);
    return matches;
  }
}

interface Matches {
  readonly total: number;
  readonly tasks: Float64Array;
}

function find(index: RunIndex, query: TaskQuery, search: TextSearch | undefined): Matches {
  const { total, matched } = matchTasks(index.rows(), query, search);
  return { total, tasks: Float64Array.from(matched, ({ index: task }) => task) };
}

/** The rows with the episodes that have the text, and how far the search is. */
function withMatches(table: TaskTable, search: TextSearch): TaskTable {
  const mark = (cell: TaskCell | null) =>
    cell !== null && search.hasEpisode(cell.episode) ? { ...cell, hasText: true as const } : cell;
  const rows = table.rows.map((row) => ({ ...row, cells: row.cells.map(mark) }));
  return { ...table, rows, search: search.progress };
}
