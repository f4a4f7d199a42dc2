/**
 * An exported site: `index.html` is `static.html` of the page, which loads `data/site.js` with a classic script before its own (modules
 * and fetch do not work from file://). `data/site.js` sets `globalThis.tiltyardSite` to a `StaticSite`; where that is missing, the page
 * talks to a server. Every answer is in a classic script, `data/<path>.js`, that does
 * `(globalThis.tiltyardAnswers ??= {})['<path>'] = <answer>;`. These answers are there:
 *
 * - `runs`: as `GET /api/runs`
 * - `runs/<run>`: as `GET /api/runs/:run`
 * - `runs/<run>/tasks/<page>`: as `GET /api/runs/:run/tasks?start=page*tasksPerPage&stop=...`, sorted by index, without a filter; the page
 *   filters and sorts with `selectTasks` of `src/studio/select-tasks.ts`, which the server uses as well
 * - `runs/<run>/episodes/<episode>`: as `GET /api/runs/:run/episodes/:episode`, with all events of its last attempt
 * - `runs/<run>/compare/<other>` and `runs/<run>/compare/<other>/tasks` for each two runs that can be compared; the latter has all rows
 */
export interface StaticSite {
  readonly version: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly tasksPerPage: number;
  /** Ids of the runs. */
  readonly runs: readonly string[];
}
