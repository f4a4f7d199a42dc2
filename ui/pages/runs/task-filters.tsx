import { type ReactElement, useEffect, useRef, useState } from 'react';
import type { RunDetail, TaskFilter, TaskQuery } from '../../../src/studio/api.ts';
import { formatCount } from '../../data/format.ts';
import { site } from '../../data/site.ts';
import { stopName } from './names.ts';

const TYPING_MS = 150;

const FILTERS: readonly (readonly [filter: TaskFilter, label: string])[] = [
  ['different', 'Different between repeats'],
  ['failed', 'Failed'],
  ['passed', 'Passed'],
  ['missing', 'Not scored'],
];

/** Which tasks of a run are listed. */
export function TaskFilters({
  run,
  query,
  onChange,
}: {
  readonly run: RunDetail;
  readonly query: TaskQuery;
  readonly onChange: (changed: {
    filter?: string | undefined;
    stop?: string | undefined;
    text?: string | undefined;
  }) => void;
}): ReactElement {
  // What is being typed, until it is in the address.
  const [typed, type] = useState<string | undefined>();
  const change = useRef(onChange);
  change.current = onChange;
  const stops = Object.keys(run.summary.stops);
  useEffect(() => {
    if (typed === undefined) return;
    const timer = setTimeout(() => {
      change.current({ text: typed === '' ? undefined : typed });
      type(undefined);
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <>
      <div className="chips" role="group" aria-label="Which tasks">
        <button type="button" aria-pressed={query.filter === undefined} onClick={() => onChange({ filter: undefined })}>
          All <span className="count">{formatCount(run.summary.tasks)}</span>
        </button>
        {FILTERS.map(([filter, label]) => (
          <button
            key={filter}
            type="button"
            aria-pressed={query.filter === filter}
            disabled={run.counts[filter] === 0 && query.filter !== filter}
            onClick={() => onChange({ filter: query.filter === filter ? undefined : filter })}
          >
            {label} <span className="count">{formatCount(run.counts[filter])}</span>
          </button>
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
        placeholder={site === undefined ? '#7, or any text' : '#7, or an ending'}
        value={typed ?? query.text ?? ''}
        onChange={({ target }) => type(target.value)}
      />
    </>
  );
}
