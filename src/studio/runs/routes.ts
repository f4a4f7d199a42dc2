import { setTimeout as delay } from 'node:timers/promises';
import { STOPS } from '../../records/index.ts';
import type { TaskQuery } from '../api.ts';
import type { Handlers } from '../http/routes.ts';
import { taskNumber } from '../select-tasks.ts';
import type { Fields } from '../shared/fields.ts';
import { compareIndexes, differingTasks } from './comparison.ts';
import { readEpisodeDetail, readEpisodeEvents } from './episode.ts';
import type { RecordLibrary } from './record-library.ts';
import type { RunLibrary } from './run-library.ts';

const ANSWER_WITHIN_MS = 200;

/** Runs and records, by pages. */
export function runRoutes(runs: RunLibrary, records: RecordLibrary): Handlers {
  return {
    'GET /api/runs': () => runs.list(),
    'GET /api/runs/:run': ({ param }) => runs.detail(param('run')),
    'GET /api/runs/:run/tasks': async ({ param, query }) => {
      const index = await runs.get(param('run'));
      const wanted = toTaskQuery(query);
      if (wanted.text === undefined || taskNumber(wanted.text) !== undefined) return runs.tables.page(index, wanted);
      const search = runs.searches.of(index, wanted.text);
      // Most runs are read within this time, and their rows need not come bit by bit.
      await Promise.race([search.go(), delay(ANSWER_WITHIN_MS, undefined, { ref: false })]);
      return runs.tables.page(index, wanted, search);
    },
    'GET /api/runs/:run/episodes/:episode': async ({ param, number, query }) =>
      readEpisodeDetail(await runs.get(param('run')), number('episode'), { attempt: query.optionalCount('attempt') }),
    'GET /api/runs/:run/episodes/:episode/events': async ({ param, number, query }) =>
      readEpisodeEvents(await runs.get(param('run')), number('episode'), {
        attempt: query.optionalCount('attempt'),
        start: query.optionalCount('start') ?? 0,
      }),
    'GET /api/runs/:run/compare/:other': async ({ param }) => {
      const [first, second] = [await runs.get(param('run')), await runs.get(param('other'))];
      const heads = { first: await runs.head(param('run')), second: await runs.head(param('other')) };
      return compareIndexes(first, second, heads);
    },
    'GET /api/runs/:run/compare/:other/tasks': async ({ param, query }) =>
      differingTasks(await runs.get(param('run')), await runs.get(param('other')), bounded(toRange(query))),
    'GET /api/records': ({ query }) => records.list(toRange(query)),
    'GET /api/records/:record': ({ param }) => records.get(param('record')),
    'GET /api/records/:record/events': ({ param, query }) =>
      records.events(param('record'), query.optionalCount('start') ?? 0),
  };
}

function toRange(query: Fields): { readonly start?: number | undefined; readonly stop?: number | undefined } {
  return { start: query.optionalCount('start'), stop: query.optionalCount('stop') };
}

const MOST_COMPARED = 500;

function bounded({ start = 0, stop = start + 100 }: ReturnType<typeof toRange>): { start: number; stop: number } {
  return { start, stop: Math.min(stop, start + MOST_COMPARED) };
}

const SORTS = ['index', 'mean', 'spread', 'steps', 'tokens', 'ms'] as const;
const FILTERS = ['failed', 'passed', 'different', 'missing'] as const;

function toTaskQuery(query: Fields): TaskQuery {
  const { start, stop } = toRange(query);
  const sort = query.optionalOneOf('sort', SORTS);
  const order = query.optionalOneOf('order', ['asc', 'desc']);
  const filter = query.optionalOneOf('filter', FILTERS);
  const reason = query.optionalOneOf('stop_reason', STOPS);
  const text = query.optionalText('text');
  return {
    ...(start === undefined ? {} : { start }),
    ...(stop === undefined ? {} : { stop }),
    ...(sort === undefined ? {} : { sort }),
    ...(order === undefined ? {} : { order }),
    ...(filter === undefined ? {} : { filter }),
    ...(reason === undefined ? {} : { stop_reason: reason }),
    ...(text === undefined || text.trim() === '' ? {} : { text }),
  };
}
