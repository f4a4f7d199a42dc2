import type { Job, JobFinding, JobHead, NewJob } from './api/jobs.ts';
import type { FollowSnapshot, LiveSession, LiveSnapshot, LiveStep } from './api/live.ts';
import type {
  NewCall,
  NewPlay,
  Play,
  PlayExport,
  PlayExportFormat,
  PlayHead,
  Step,
  WireExchange,
} from './api/plays.ts';
import type {
  ComparedTable,
  EpisodeDetail,
  EventPage,
  RecordDetail,
  RecordPage,
  RunComparison,
  RunDetail,
  RunHead,
  TaskQuery,
  TaskTable,
} from './api/runs.ts';
import type { EnvironmentInfo, NewTarget, Target, TaskPage, ToolkitInfo } from './api/targets.ts';

// The contract between the studio's page (ui/) and its server (src/studio/): types only.
//
// Opening: the command prints `http://127.0.0.1:8090/#token=<token>`, perhaps with `&open=<path of the page>`. The page sends the token
// to `POST /api/enter`, which sets an HttpOnly, SameSite=Strict cookie, and removes it from the address. Without the cookie every route
// but that one answers 401 with the code `not_entered`.
//
// Requests: bodies are JSON (`Content-Type: application/json`, also for POST without a body: `{}`), parts of paths are encoded with
// encodeURIComponent, and answers are JSON. Every failure has the form of `ErrorAnswer`.
//
// The page is built into `dist/studio/page/`: `index.html`, which the server sends with
// `Content-Security-Policy: default-src 'self'; img-src 'self' blob:; ...`, and `static.html` for exported sites (see `StaticSite`).

/** A route: what it takes, and what it answers. `:names` in its path are strings. */
interface Route<Answer, Body = undefined, Query = undefined> {
  readonly answer: Answer;
  readonly body: Body;
  readonly query: Query;
}

/** A part of a list, by place: from `start` to before `stop`. */
export interface Range {
  readonly start?: number;
  readonly stop?: number;
}

/** Every route of the studio's server, by method and path. */
export interface StudioRoutes {
  // The studio
  'POST /api/enter': Route<StudioInfo, { readonly token: string }>;
  'GET /api/studio': Route<StudioInfo>;

  // Servers, and what they offer
  'GET /api/targets': Route<readonly Target[]>;
  'POST /api/targets': Route<Target, NewTarget>;
  'DELETE /api/targets/:target': Route<Done>;
  /** Looks at it now, rather than at the next turn. */
  'POST /api/targets/:target/look': Route<Target>;
  'GET /api/targets/:target/environments': Route<readonly string[]>;
  'GET /api/targets/:target/environments/:environment': Route<EnvironmentInfo>;
  /** At most 500 tasks at a time. */
  'GET /api/targets/:target/environments/:environment/tasks': Route<
    TaskPage,
    undefined,
    Range & { readonly split: string }
  >;
  'GET /api/targets/:target/toolkits': Route<readonly ToolkitInfo[]>;

  // Playing
  'GET /api/plays': Route<readonly PlayHead[]>;
  'POST /api/plays': Route<Play, NewPlay>;
  'GET /api/plays/:play': Route<Play>;
  /** Ends its session, and forgets it. */
  'DELETE /api/plays/:play': Route<Done>;
  /** Ends its session; its steps stay. */
  'POST /api/plays/:play/end': Route<Play>;
  /** Begins a call; it is answered while the call runs, and its end comes over the stream. */
  'POST /api/plays/:play/steps': Route<Step, NewCall>;
  'POST /api/plays/:play/steps/:step/cancel': Route<Step>;
  'GET /api/plays/:play/steps/:step/wire': Route<readonly WireExchange[]>;
  /** A new session in which the first `keep` calls are made again; also the way to play on after a session was lost. */
  'POST /api/plays/:play/branch': Route<Play, { readonly keep: number }>;
  'GET /api/plays/:play/export': Route<PlayExport, undefined, { readonly as: PlayExportFormat }>;

  // Watching a server
  'GET /api/targets/:target/live': Route<LiveSnapshot>;

  // Runs and records
  'GET /api/runs': Route<readonly RunHead[]>;
  'GET /api/runs/:run': Route<RunDetail>;
  'GET /api/runs/:run/tasks': Route<TaskTable, undefined, TaskQuery>;
  /** Without `attempt`, the last one. */
  'GET /api/runs/:run/episodes/:episode': Route<EpisodeDetail, undefined, { readonly attempt?: number }>;
  'GET /api/runs/:run/episodes/:episode/events': Route<
    EventPage,
    undefined,
    { readonly attempt?: number; readonly start?: number }
  >;
  'GET /api/runs/:run/compare/:other': Route<RunComparison>;
  'GET /api/runs/:run/compare/:other/tasks': Route<ComparedTable, undefined, Range>;
  'GET /api/records': Route<RecordPage, undefined, Range>;
  'GET /api/records/:record': Route<RecordDetail>;
  'GET /api/records/:record/events': Route<EventPage, undefined, { readonly start?: number }>;

  // Checks and measurements
  'GET /api/jobs': Route<readonly JobHead[]>;
  'POST /api/jobs': Route<Job, NewJob>;
  'GET /api/jobs/:job': Route<Job>;
  'POST /api/jobs/:job/cancel': Route<Job>;
}

/** What the studio is. */
export interface StudioInfo {
  readonly version: string;
  /** What it was started with, for the page to open first. */
  readonly opened: 'targets' | 'runs' | 'records' | 'jobs';
  readonly targets: readonly Target[];
  /** How many runs and records there are; records may be more than this says while they are counted. */
  readonly runs: number;
  readonly records: number;
}

/** The answer of what only does something. */
export interface Done {
  readonly done: true;
}

/**
 * What happens: `GET /api/stream?topic=targets&topic=play/p1...`, server-sent events without names, whose data is a `StreamEvent`. Each
 * topic begins with its whole state, also after a reconnect, and goes on with changes. One stream for a page is enough, and best: a
 * browser opens only six connections. An unknown topic gives `gone`, and the others go on.
 */
export type Topic =
  | 'targets'
  | 'plays'
  | `play/${string}`
  | `live/${string}`
  /** `follow/<target>/<sid>` */
  | `follow/${string}/${string}`
  | 'runs'
  | `run/${string}`
  | 'jobs'
  | `job/${string}`;

/** One event of the stream. */
export type StreamEvent =
  | { readonly topic: string; readonly type: 'targets'; readonly targets: readonly Target[] }
  | { readonly topic: string; readonly type: 'plays'; readonly plays: readonly PlayHead[] }
  | { readonly topic: string; readonly type: 'play'; readonly play: Play }
  /** Of a play whose other steps stay as they are: a new step, or a changed one, with the play's new totals. */
  | { readonly topic: string; readonly type: 'step'; readonly step: Step; readonly head: PlayHead }
  | { readonly topic: string; readonly type: 'live'; readonly live: LiveSnapshot }
  /** What is new since the last one: at most ten times a second. `gone` are sessions to be taken out of the list. */
  | {
      readonly topic: string;
      readonly type: 'live_changes';
      readonly sessions: readonly LiveSession[];
      readonly gone: readonly string[];
      readonly dropped: number;
    }
  | { readonly topic: string; readonly type: 'follow'; readonly follow: FollowSnapshot }
  /** New steps, and those that have changed, by their ids. */
  | {
      readonly topic: string;
      readonly type: 'follow_changes';
      readonly session: LiveSession | null;
      readonly steps: readonly LiveStep[];
    }
  | { readonly topic: string; readonly type: 'runs'; readonly runs: readonly RunHead[] }
  /** At most once a second while it is played; ask for the rows that are on the screen again. */
  | { readonly topic: string; readonly type: 'run'; readonly run: RunDetail }
  | { readonly topic: string; readonly type: 'jobs'; readonly jobs: readonly JobHead[] }
  | { readonly topic: string; readonly type: 'job'; readonly job: Job }
  | {
      readonly topic: string;
      readonly type: 'job_changes';
      readonly job: JobHead;
      readonly findings: readonly JobFinding[];
    }
  | { readonly topic: string; readonly type: 'gone' };

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

export type {
  Job,
  JobExchange,
  JobFinding,
  JobHead,
  NewBench,
  NewCheck,
  NewJob,
  NewLint,
} from './api/jobs.ts';
export type { FollowSnapshot, LiveSession, LiveSnapshot, LiveStep } from './api/live.ts';
export type {
  Divergence,
  NewCall,
  NewPlay,
  Play,
  PlayExport,
  PlayExportFormat,
  PlayHead,
  PlayStatus,
  PlaySubject,
  PlayTool,
  Step,
  StepResult,
  WireExchange,
} from './api/plays.ts';
export type { ErrorAnswer, Problem, ProblemKind } from './api/problem.ts';
export type {
  ComparedRow,
  ComparedTable,
  ComparedTask,
  EpisodeDetail,
  EventPage,
  RecordDetail,
  RecordHead,
  RecordPage,
  RunChange,
  RunComparison,
  RunDetail,
  RunHead,
  TaskCell,
  TaskQuery,
  TaskRow,
  TaskTable,
} from './api/runs.ts';
export type { EnvironmentInfo, NewTarget, SplitInfo, Target, TaskPage, ToolkitInfo } from './api/targets.ts';
