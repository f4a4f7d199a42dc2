import { type ReactElement, useEffect, useState } from 'react';
import type { RunDetail, TaskQuery, TaskRow } from '../../../src/studio/api.ts';
import { goInstead, to, usePlace } from '../../app/route.ts';
import { ask } from '../../data/ask.ts';
import { formatCount, formatMs, formatNumber } from '../../data/format.ts';
import { useAnswer, useWhenChanged } from '../../data/hooks.ts';
import { useRows } from '../../data/rows.ts';
import { Card } from '../../parts/card.tsx';
import { Failed, Ghost, Loading } from '../../parts/states.tsx';
import { VirtualList } from '../../parts/virtual-list.tsx';
import { Cells } from './cells.tsx';
import { stopName } from './names.ts';

type Filter = NonNullable<TaskQuery['filter']>;
type Sort = NonNullable<TaskQuery['sort']>;

/** The tasks of a run by their repeats, with filters; only what is on the screen is loaded. */
export function TasksCard({ run }: { readonly run: RunDetail }): ReactElement {
  const { query: address } = usePlace();
  const query = readQuery(address);
  const key = JSON.stringify([run.id, query]);
  const tasks = useRows<TaskRow>(key, async (start, stop, signal) => {
    const table = await ask('GET /api/runs/:run/tasks', {
      path: { run: run.id },
      query: { ...query, start, stop },
      signal,
    });
    return { rows: table.rows, total: table.matched };
  });
  const { reload } = tasks;
  useWhenChanged(progressOf(run), reload);
  const change = (changed: Partial<Record<'filter' | 'stop' | 'text' | 'sort' | 'order', string | undefined>>) =>
    goInstead(to(['runs', run.id], { ...Object.fromEntries(address), ...changed }));
  const sortBy = (sort: Sort) =>
    change({ sort, order: query.sort === sort && query.order !== 'desc' ? 'desc' : 'asc' });
  return (
    <Card
      title="Tasks"
      side={<Filters run={run} query={query} onChange={change} isCounted={tasks.total !== undefined} />}
      flush
    >
      {tasks.error !== undefined && <Failed error={tasks.error} onRetry={reload} />}
      <div className="row head run-task">
        <SortButton sort="index" label="#" query={query} onSort={sortBy} />
        <span>Repeats</span>
        <SortButton sort="mean" label="Mean" query={query} onSort={sortBy} />
        <SortButton sort="spread" label="Spread" query={query} onSort={sortBy} />
        <SortButton sort="steps" label="Steps" query={query} onSort={sortBy} />
        <SortButton sort="tokens" label="Tokens" query={query} onSort={sortBy} />
        <SortButton sort="ms" label="Time" query={query} onSort={sortBy} />
      </div>
      {tasks.total === undefined && tasks.error === undefined && <Loading lines={6} />}
      {tasks.total === 0 && (
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
          render={(at) => <Row key={at} run={run} row={tasks.row(at)} />}
        />
      )}
    </Card>
  );
}

function Row({ run, row }: { readonly run: RunDetail; readonly row: TaskRow | undefined }): ReactElement {
  if (row === undefined)
    return (
      <div className="row run-task">
        <Ghost />
      </div>
    );
  const played = row.cells.filter((cell) => cell !== null);
  const first = played[0];
  const mean = (pick: (cell: (typeof played)[number]) => number) =>
    played.reduce((sum, cell) => sum + pick(cell), 0) / Math.max(1, played.length);
  const hasTokens = played.some(({ tokens }) => tokens > 0);
  return (
    <div className="row run-task">
      {first === undefined ? (
        <span className="mono">{row.index}</span>
      ) : (
        <a className="mono" href={to(['runs', run.id, 'episodes', first.episode])} aria-label={`Task ${row.index}`}>
          {row.index}
        </a>
      )}
      <Cells run={run.id} cells={row.cells} pass={run.pass} />
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

const FILTERS: readonly (readonly [filter: Filter, label: string])[] = [
  ['different', 'Different between repeats'],
  ['failed', 'Failed'],
  ['passed', 'Passed'],
  ['missing', 'Not scored'],
];

function Filters({
  run,
  query,
  onChange,
  isCounted,
}: {
  readonly run: RunDetail;
  readonly query: TaskQuery;
  /** Only after the first rows are there: they matter more. */
  readonly isCounted: boolean;
  readonly onChange: (changed: {
    filter?: string | undefined;
    stop?: string | undefined;
    text?: string | undefined;
  }) => void;
}): ReactElement {
  const [text, setText] = useState(query.text ?? '');
  const stops = Object.keys(run.summary?.stops ?? {});
  useEffect(() => {
    if (text === (query.text ?? '')) return;
    const timer = setTimeout(() => onChange({ text: text === '' ? undefined : text }), 150);
    return () => clearTimeout(timer);
  }, [text, query.text, onChange]);
  return (
    <>
      <div className="chips" role="group" aria-label="Which tasks">
        <button type="button" aria-pressed={query.filter === undefined} onClick={() => onChange({ filter: undefined })}>
          All <span className="count">{run.summary?.tasks}</span>
        </button>
        {FILTERS.map(([filter, label]) => (
          <FilterChip
            key={filter}
            isCounted={isCounted}
            run={run}
            filter={filter}
            label={label}
            isOn={query.filter === filter}
            onChoose={() => onChange({ filter: query.filter === filter ? undefined : filter })}
          />
        ))}
      </div>
      {stops.length > 1 && (
        <select
          className="small-select"
          aria-label="Only with this way of ending"
          value={query.stop_reason ?? ''}
          onChange={({ target }) => onChange({ stop: target.value || undefined })}
        >
          <option value="">any ending</option>
          {stops.map((stop) => (
            <option key={stop} value={stop}>
              {stopName(stop)}
            </option>
          ))}
        </select>
      )}
      <input
        type="search"
        className="search"
        aria-label="Search the tasks"
        placeholder="Index or text"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </>
  );
}

function FilterChip({
  isCounted,
  run,
  filter,
  label,
  isOn,
  onChoose,
}: {
  readonly run: RunDetail;
  readonly isCounted: boolean;
  readonly filter: Filter;
  readonly label: string;
  readonly isOn: boolean;
  readonly onChoose: () => void;
}): ReactElement {
  // Only the number is wanted.
  const { data, reload } = useAnswer(isCounted ? 'GET /api/runs/:run/tasks' : null, {
    path: { run: run.id },
    query: { filter, start: 0, stop: 1 },
  });
  useWhenChanged(progressOf(run), reload);
  return (
    <button type="button" aria-pressed={isOn} disabled={data?.matched === 0 && !isOn} onClick={onChoose}>
      {label} <span className="count">{data?.matched}</span>
    </button>
  );
}

/** Changes whenever the rows of a run that goes on may have changed, and when it ends. */
function progressOf({ summary, isLive }: RunDetail): string {
  return `${summary?.episodes.owed} ${isLive}`;
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
