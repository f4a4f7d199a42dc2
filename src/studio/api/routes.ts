import type { Job, JobHead, NewJob } from './jobs.ts';
import type { LiveSnapshot } from './live.ts';
import type { NewCall, NewPlay, Play, PlayExport, PlayExportFormat, PlayHead, Step, WireExchange } from './plays.ts';
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
} from './runs.ts';
import type { Done, StudioInfo } from './studio-info.ts';
import type { EnvironmentInfo, NewTarget, Target, TaskPage, ToolkitInfo } from './targets.ts';

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
  /** The task after this one, or the same where it has no number, in a new session with the same secrets. */
  'POST /api/plays/:play/next': Route<Play>;
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
