import { type ReactElement, useEffect, useState } from 'react';
import type { RunDetail, SearchProgress, TaskQuery, TaskRow } from '../../../src/studio/api.ts';
import { goInstead, to, usePlace } from '../../app/route.ts';
import { ask } from '../../data/ask.ts';
import { formatCount, formatMs, formatNumber, plural } from '../../data/format.ts';
import { useWhenChanged } from '../../data/hooks.ts';
import { useRows } from '../../data/rows.ts';
import { Card } from '../../parts/card.tsx';
import { Failed, Ghost, Loading } from '../../parts/states.tsx';
import { VirtualList } from '../../parts/virtual-list.tsx';
import { Cells } from './cells.tsx';
import { TaskFilters } from './task-filters.tsx';

type Sort = NonNullable<TaskQuery['sort']>;

// Often enough to see rows come, and seldom enough that the search gets on.
const ASK_AGAIN_MS = 500;

/** The tasks of a run by their repeats, with filters; only what is on the screen is loaded. */
export function TasksCard({ run }: { readonly run: RunDetail }): ReactElement {
  const { query: address } = usePlace();
  const query = readQuery(address);
  const key = JSON.stringify([run.id, query]);
  const [search, setSearch] = useState<SearchProgress | undefined>();
  const tasks = useRows<TaskRow>(key, async (start, stop, signal) => {
    const table = await ask('GET /api/runs/:run/tasks', {
      path: { run: run.id },
      query: { ...query, start, stop },
      signal,
    });
    setSearch(table.search);
    return { rows: table.rows, total: table.matched };
  });
  const { reload } = tasks;
  const isSearching = query.text !== undefined && search !== undefined && search.read < search.total;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer has a new `search`, and asks for the next.
  useEffect(() => {
    if (!isSearching) return;
    const timer = setTimeout(reload, ASK_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [isSearching, search, reload]);
  useWhenChanged(progressOf(run), reload);
  const change = (changed: Partial<Record<'filter' | 'stop' | 'text' | 'sort' | 'order', string | undefined>>) =>
    goInstead(to(['runs', run.id], { ...Object.fromEntries(address), ...changed }));
  const sortBy = (sort: Sort) =>
    change({ sort, order: query.sort === sort && query.order !== 'desc' ? 'desc' : 'asc' });
  return (
    <Card title="Tasks" side={<TaskFilters run={run} query={query} onChange={change} />} flush>
      {tasks.error !== undefined && <Failed error={tasks.error} onRetry={reload} />}
      <div className={`row head ${rowClass(run)}`}>
        <SortButton sort="index" label="#" query={query} onSort={sortBy} />
        <span>Repeats</span>
        <SortButton sort="mean" label="Mean" query={query} onSort={sortBy} />
        <SortButton sort="spread" label="Spread" query={query} onSort={sortBy} />
        <SortButton sort="steps" label="Steps" query={query} onSort={sortBy} />
        <SortButton sort="tokens" label="Tokens" query={query} onSort={sortBy} />
        <SortButton sort="ms" label="Time" query={query} onSort={sortBy} />
      </div>
      {tasks.total === undefined && tasks.error === undefined && <Loading lines={6} />}
      {isSearching && <Searching search={search} />}
      {tasks.total === 0 && !isSearching && (
        <p className="none-yet">
          No task matches.{' '}
          <button
            type="button"
            className="quiet"
            onClick={() => change({ filter: undefined, stop: undefined, text: undefined })}
          >
            Show all
          </button>
        </p>
      )}
      {tasks.total !== undefined && tasks.total > 0 && (
        <VirtualList
          count={tasks.total}
          rowHeight={34}
          label="Tasks"
          onVisible={tasks.see}
          render={(at) => <Row key={at} run={run} row={tasks.row(at)} text={query.text} />}
        />
      )}
    </Card>
  );
}

/** Rows come while the episodes are read. */
function Searching({ search: { read, total } }: { readonly search: SearchProgress }): ReactElement {
  return (
    <div className="searching" role="status">
      <span>
        Searching: {formatCount(read)} of {plural(total, 'episode')} read
      </span>
      <progress value={read} max={total} aria-label="Episodes read" />
    </div>
  );
}

interface RowProps {
  readonly run: RunDetail;
  readonly row: TaskRow | undefined;
  /** What is looked for: its episode opens there. */
  readonly text: string | undefined;
}

function Row({ run, row, text }: RowProps): ReactElement {
  if (row === undefined)
    return (
      <div className={`row ${rowClass(run)}`}>
        <Ghost />
      </div>
    );
  const played = row.cells.filter((cell) => cell !== null);
  const first = played.find(({ hasText }) => hasText) ?? played[0];
  const mean = (pick: (cell: (typeof played)[number]) => number) =>
    played.reduce((sum, cell) => sum + pick(cell), 0) / Math.max(1, played.length);
  const hasTokens = played.some(({ tokens }) => tokens > 0);
  return (
    <div className={`row ${rowClass(run)}`}>
      {first === undefined ? (
        <span className="mono">{row.index}</span>
      ) : (
        <a
          className="mono"
          href={to(['runs', run.id, 'episodes', first.episode], { text })}
          aria-label={`Task ${row.index}`}
        >
          {row.index}
        </a>
      )}
      <Cells run={run.id} cells={row.cells} pass={run.pass} text={text} />
      <b className="num">{row.mean === null ? 'none' : formatNumber(row.mean, 2)}</b>
      <span className="num soft">{row.spread === null ? '' : formatNumber(row.spread, 2)}</span>
      <span className="num">{mean(({ steps }) => steps).toFixed(1)}</span>
      <span className="num">{hasTokens ? formatCount(Math.round(mean(({ tokens }) => tokens))) : ''}</span>
      <span className="num">{formatMs(mean(({ ms }) => ms))}</span>
    </div>
  );
}

function SortButton({
  sort,
  label,
  query,
  onSort,
}: {
  readonly sort: Sort;
  readonly label: string;
  readonly query: TaskQuery;
  readonly onSort: (sort: Sort) => void;
}): ReactElement {
  const isSorted = (query.sort ?? 'index') === sort;
  const direction = query.order === 'desc' ? '↓' : '↑';
  return (
    <button
      type="button"
      className={sort === 'index' ? 'sort' : 'sort num'}
      aria-label={`${label}: sort by it${isSorted ? `, ${query.order === 'desc' ? 'descending' : 'ascending'}` : ''}`}
      onClick={() => onSort(sort)}
    >
      {isSorted && sort !== 'index' && <span aria-hidden="true">{direction} </span>}
      {label}
      {isSorted && sort === 'index' && <span aria-hidden="true"> {direction}</span>}
    </button>
  );
}

/** Runs without a model have no tokens to show. */
function rowClass({ summary }: RunDetail): string {
  const { input, output } = summary.tokens;
  return input + output === 0 ? 'run-task without-tokens' : 'run-task';
}

/** Changes whenever the rows of a run that goes on may have changed, and when it ends. */
function progressOf({ summary, isLive }: RunDetail): string {
  return `${summary.episodes.owed} ${isLive}`;
}

function readQuery(address: URLSearchParams): TaskQuery {
  const given = (name: string) => address.get(name) || undefined;
  const query = {
    filter: given('filter'),
    stop_reason: given('stop'),
    text: given('text'),
    sort: given('sort'),
    order: given('order'),
  };
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as TaskQuery;
}
