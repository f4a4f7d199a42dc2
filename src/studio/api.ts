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
export type { StudioRoutes } from './api/routes.ts';
export type {
  ComparedRow,
  ComparedTable,
  ComparedTask,
  EpisodeDetail,
  EventPage,
  ReadableRun,
  RecordDetail,
  RecordHead,
  RecordPage,
  RunChange,
  RunComparison,
  RunDetail,
  RunHead,
  SearchProgress,
  TaskCell,
  TaskFilter,
  TaskQuery,
  TaskRow,
  TaskTable,
  UnreadableRun,
} from './api/runs.ts';
export type { StaticSite } from './api/static-site.ts';
export type { StreamEvent, Topic } from './api/stream.ts';
export type { StudioInfo } from './api/studio-info.ts';
export type { EnvironmentInfo, NewTarget, SplitInfo, Target, TaskPage, ToolkitInfo } from './api/targets.ts';
