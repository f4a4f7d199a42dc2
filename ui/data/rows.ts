import { useCallback, useEffect, useRef, useState } from 'react';

/** Some rows of a list, and how many there are in all. */
export interface RowPage<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
}

/** A list of which only the rows are loaded that somebody looks at. */
export interface Rows<Row> {
  /** Undefined until the first page is there. */
  readonly total: number | undefined;
  readonly error: unknown;
  /** Undefined while it is being loaded. */
  row(at: number): Row | undefined;
  /** Loads the rows of the screen. */
  readonly see: (first: number, last: number) => void;
  /** Loads them again; what is there stays until then. */
  readonly reload: () => void;
  /** Rows that are loaded, by their places. */
  readonly loaded: ReadonlyMap<number, readonly Row[]>;
}

const PAGE = 100;
// Enough for many screens, and little enough that a million rows never fill the memory.
const KEPT = 60;

/** Loads a list by pages; another key is another list. */
export function useRows<Row>(
  key: string,
  load: (start: number, stop: number, signal: AbortSignal) => Promise<RowPage<Row>>,
): Rows<Row> {
  const [state, setState] = useState<RowsState<Row>>({ key, pages: new Map(), total: undefined, error: undefined });
  const loading = useRef<PageLoader>({ key: '', pages: new Set(), stop: new AbortController(), seen: [0, 0] });
  const latest = useRef(load);
  latest.current = load;

  const fetchPages = useCallback((listKey: string, first: number, last: number) => {
    const { pages, stop } = loading.current;
    for (let page = Math.floor(first / PAGE); page <= Math.floor(Math.max(first, last - 1) / PAGE); page += 1) {
      if (pages.has(page)) continue;
      pages.add(page);
      latest.current(page * PAGE, (page + 1) * PAGE, stop.signal).then(
        ({ rows, total }) => {
          if (stop.signal.aborted) return;
          setState((before) => ({
            key: listKey,
            error: undefined,
            total,
            pages: withPage(before.key === listKey ? before.pages : new Map(), page, rows, pages),
          }));
        },
        (error: unknown) => {
          pages.delete(page);
          if (!stop.signal.aborted) setState((before) => ({ ...before, key: listKey, error }));
        },
      );
    }
  }, []);

  useEffect(() => {
    const stop = new AbortController();
    loading.current = { key, pages: new Set(), stop, seen: [0, 1] };
    fetchPages(key, 0, 1);
    return () => stop.abort();
  }, [key, fetchPages]);

  const see = useCallback(
    (first: number, last: number) => {
      loading.current.seen = [first, last];
      if (loading.current.key !== '') fetchPages(loading.current.key, first, last);
    },
    [fetchPages],
  );
  const reload = useCallback(() => {
    loading.current.pages.clear();
    const [first, last] = loading.current.seen;
    fetchPages(loading.current.key, first, last);
  }, [fetchPages]);

  const isSame = state.key === key;
  return {
    // The last list stays on the screen until the next one is there, so that nothing jumps.
    total: state.total,
    error: isSame ? state.error : undefined,
    row: (at) => state.pages.get(Math.floor(at / PAGE))?.[at % PAGE],
    see,
    reload,
    loaded: state.pages,
  };
}

interface RowsState<Row> {
  readonly key: string;
  readonly pages: ReadonlyMap<number, readonly Row[]>;
  readonly total: number | undefined;
  readonly error: unknown;
}

interface PageLoader {
  readonly key: string;
  /** Those that are loaded or on their way. */
  readonly pages: Set<number>;
  readonly stop: AbortController;
  seen: readonly [first: number, last: number];
}

/** The pages with one more, without those that nobody has looked at for longest. */
function withPage<Row>(
  pages: ReadonlyMap<number, readonly Row[]>,
  page: number,
  rows: readonly Row[],
  known: Set<number>,
): ReadonlyMap<number, readonly Row[]> {
  const next = new Map(pages);
  next.delete(page);
  next.set(page, rows);
  for (const oldest of next.keys()) {
    if (next.size <= KEPT) break;
    next.delete(oldest);
    known.delete(oldest);
  }
  return next;
}
