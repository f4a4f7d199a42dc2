/** All that a server bounds. The comments are those of the table below; UPDATE_DOCS=1 writes them. */
export interface Limits {
  /** The largest body of a request; a larger one is 413. */
  bodyBytes: number;
  /** The largest block of headers; a larger one is 431. */
  headerBytes: number;
  /** How long a client may take to send the headers of a request, at most `requestMs`; then 408, and the connection closes. */
  headersMs: number;
  /** How long a client may take to send a whole request; answers may take as long as they like. */
  requestMs: number;
  /** How long an idle connection is kept: longer than the pools of common clients, which else meet a reset. */
  keepAliveMs: number;
  /** How many new connections may wait while the server is busy; the system drops more, and may allow fewer. */
  backlog: number;
  /** How long a stopping server that takes no new connections still answers on those it has: for a proxy in front. */
  noticeMs: number;
  /** How long a stopping server, its calls and sessions ended, waits for clients to send and read what is left. */
  closeMs: number;
  /** How long calls may go on, and end as always, when the server stops; after that they are aborted. */
  drainMs: number;
  /** How long a tool or setup may take to end after its signal was aborted; then it is left to itself. */
  graceMs: number;
  /** How long a setup may take before its session has failed, and its signal is aborted; 0: as long as it likes. */
  setupMs: number;
  /** How long a teardown may take before it is left to itself. */
  teardownMs: number;
  /** How long a call may take of a tool that has no `timeoutMs` of its own; 0: as long as it likes. */
  toolTimeoutMs: number;
  /** The most text of a tool without `maxOutputBytes` of its own; the rest is cut, and the output says so. */
  maxOutputBytes: number;
  /** The most that the images of one output take, as base64; one too many is left out, and the output says so. */
  maxImageBytes: number;
  /** The most sessions at a time; one more is 429. */
  maxSessions: number;
  /** The most sessions of one identity at a time, where there is `auth`; one more is 429. */
  maxSessionsPerIdentity: number;
  /** The most tools of one session that run at a time; further calls wait. */
  maxCallsInFlight: number;
  /** How many calls of one session are taken beyond `maxCallsInFlight`, to wait; one more is 429. */
  maxCallsQueued: number;
  /** The most that the inputs of one session's calls may take that run or wait; one more call is 429. */
  maxInputBytes: number;
  /** The most tasks in one answer of `/tasks` and `/task_range`; more is 400, which says how to page. */
  maxTasksPerPage: number;
  /** A session without requests for this long is ended; a running call keeps it alive. */
  idleMs: number;
  /** How long an ended session answers 410 rather than 404. */
  tombstoneMs: number;
  /** How many ended sessions answer 410 rather than 404. */
  maxTombstones: number;
  /** How long the result of a call is kept for clients that reconnect or repeat it. */
  lingerMs: number;
  /** About how much is kept of the results of one session; the oldest go first, the newest is always kept. */
  maxKeptBytes: number;
  /** About how much is kept of results that are not small, of all sessions together; the oldest go first. */
  maxKeptTotalBytes: number;
  /** About how much is kept of small results, of all sessions together; the oldest go first. */
  maxRecentBytes: number;
  /** The most calls over OXP at a time; one more is told when to come back. */
  maxToolkitCalls: number;
  /** The most calls of one identity over OXP at a time, where there is `auth`; one more is told when to come back. */
  maxToolkitCallsPerIdentity: number;
  /** About how much is kept of the results of all calls over OXP; the oldest go first, the newest is always kept. */
  maxToolkitKeptBytes: number;
}

/** The name of a limit: the same in code, on the command line and in the documents. */
export type LimitName = keyof Limits;

/** What a limit counts. */
export type LimitUnit = 'bytes' | 'ms' | 'count';

/** Where a limit holds: in `createServer()` alone, in one of its faces, or in both of them. */
export type LimitPlace = 'server' | 'environments' | 'toolkits' | 'both';

/** What there is to know of a limit. */
export interface LimitDefinition {
  readonly default: number;
  readonly unit: LimitUnit;
  readonly place: LimitPlace;
  /** One sentence, for documents and for `--help`. */
  readonly meaning: string;
  /** The least it can be. Default: 1. */
  readonly least?: 0;
}

const KB = 1024;
const MB = 1024 * KB;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Every limit of a server: types, `--help` and docs/configuration.md say what stands here. */
export const LIMITS: Readonly<Record<LimitName, LimitDefinition>> = {
  bodyBytes: {
    default: 16 * MB,
    unit: 'bytes',
    place: 'server',
    meaning: 'The largest body of a request; a larger one is 413.',
  },
  headerBytes: {
    // Secrets may come as a header of up to 64 KB; the rest of the block needs room as well.
    default: 80 * KB,
    unit: 'bytes',
    place: 'server',
    meaning: 'The largest block of headers; a larger one is 431.',
  },
  headersMs: {
    default: 20 * SECOND,
    unit: 'ms',
    place: 'server',
    meaning:
      'How long a client may take to send the headers of a request, at most `requestMs`; then 408, and the connection closes.',
  },
  requestMs: {
    default: 2 * MINUTE,
    unit: 'ms',
    place: 'server',
    meaning: 'How long a client may take to send a whole request; answers may take as long as they like.',
  },
  keepAliveMs: {
    default: 65 * SECOND,
    unit: 'ms',
    place: 'server',
    meaning: 'How long an idle connection is kept: longer than the pools of common clients, which else meet a reset.',
  },
  backlog: {
    // Node's 511 is less than a trainer opens at once, and Linux gives no more than 4096 unless told (`somaxconn`).
    default: 4096,
    unit: 'count',
    place: 'server',
    meaning: 'How many new connections may wait while the server is busy; the system drops more, and may allow fewer.',
  },
  noticeMs: {
    // Most servers have nothing in front, and whoever stops one by hand should not wait.
    default: 0,
    unit: 'ms',
    place: 'server',
    least: 0,
    meaning:
      'How long a stopping server that takes no new connections still answers on those it has: for a proxy in front.',
  },
  closeMs: {
    default: 5 * SECOND,
    unit: 'ms',
    place: 'server',
    least: 0,
    meaning:
      'How long a stopping server, its calls and sessions ended, waits for clients to send and read what is left.',
  },
  drainMs: {
    default: 10 * SECOND,
    unit: 'ms',
    place: 'both',
    least: 0,
    meaning: 'How long calls may go on, and end as always, when the server stops; after that they are aborted.',
  },
  graceMs: {
    default: 5 * SECOND,
    unit: 'ms',
    place: 'both',
    least: 0,
    meaning: 'How long a tool or setup may take to end after its signal was aborted; then it is left to itself.',
  },
  setupMs: {
    // Some build software for half an hour; one that takes longer than an hour will most likely never end.
    default: 60 * MINUTE,
    unit: 'ms',
    place: 'environments',
    least: 0,
    meaning:
      'How long a setup may take before its session has failed, and its signal is aborted; 0: as long as it likes.',
  },
  teardownMs: {
    default: 30 * SECOND,
    unit: 'ms',
    place: 'environments',
    least: 0,
    meaning: 'How long a teardown may take before it is left to itself.',
  },
  toolTimeoutMs: {
    // Tools that build, test or train take as long as they take; only their authors know how long is too long.
    default: 0,
    unit: 'ms',
    place: 'both',
    least: 0,
    meaning: 'How long a call may take of a tool that has no `timeoutMs` of its own; 0: as long as it likes.',
  },
  maxOutputBytes: {
    // Some 250,000 tokens, which is all that a model reads; a tool that needs more says so itself.
    default: MB,
    unit: 'bytes',
    place: 'both',
    meaning: 'The most text of a tool without `maxOutputBytes` of its own; the rest is cut, and the output says so.',
  },
  maxImageBytes: {
    default: 64 * MB,
    unit: 'bytes',
    place: 'both',
    meaning:
      'The most that the images of one output take, as base64; one too many is left out, and the output says so.',
  },
  maxSessions: {
    default: 100_000,
    unit: 'count',
    place: 'environments',
    meaning: 'The most sessions at a time; one more is 429.',
  },
  maxSessionsPerIdentity: {
    default: 50_000,
    unit: 'count',
    place: 'environments',
    meaning: 'The most sessions of one identity at a time, where there is `auth`; one more is 429.',
  },
  maxCallsInFlight: {
    default: 100,
    unit: 'count',
    place: 'environments',
    meaning: 'The most tools of one session that run at a time; further calls wait.',
  },
  maxCallsQueued: {
    default: 1_000,
    unit: 'count',
    place: 'environments',
    least: 0,
    meaning: 'How many calls of one session are taken beyond `maxCallsInFlight`, to wait; one more is 429.',
  },
  maxInputBytes: {
    default: 64 * MB,
    unit: 'bytes',
    place: 'environments',
    meaning: "The most that the inputs of one session's calls may take that run or wait; one more call is 429.",
  },
  maxTasksPerPage: {
    // Official clients list a split in one request, and splits of fifty thousand tasks are not rare.
    default: 100_000,
    unit: 'count',
    place: 'environments',
    meaning: 'The most tasks in one answer of `/tasks` and `/task_range`; more is 400, which says how to page.',
  },
  idleMs: {
    default: 15 * MINUTE,
    unit: 'ms',
    place: 'environments',
    meaning: 'A session without requests for this long is ended; a running call keeps it alive.',
  },
  tombstoneMs: {
    default: 15 * MINUTE,
    unit: 'ms',
    place: 'environments',
    least: 0,
    meaning: 'How long an ended session answers 410 rather than 404.',
  },
  maxTombstones: {
    default: 100_000,
    unit: 'count',
    place: 'environments',
    least: 0,
    meaning: 'How many ended sessions answer 410 rather than 404.',
  },
  lingerMs: {
    default: MINUTE,
    unit: 'ms',
    place: 'both',
    least: 0,
    meaning: 'How long the result of a call is kept for clients that reconnect or repeat it.',
  },
  maxKeptBytes: {
    default: 16 * MB,
    unit: 'bytes',
    place: 'environments',
    least: 0,
    meaning: 'About how much is kept of the results of one session; the oldest go first, the newest is always kept.',
  },
  maxKeptTotalBytes: {
    default: 256 * MB,
    unit: 'bytes',
    place: 'environments',
    meaning: 'About how much is kept of results that are not small, of all sessions together; the oldest go first.',
  },
  maxRecentBytes: {
    default: 256 * MB,
    unit: 'bytes',
    place: 'environments',
    meaning: 'About how much is kept of small results, of all sessions together; the oldest go first.',
  },
  maxToolkitCalls: {
    default: 10_000,
    unit: 'count',
    place: 'toolkits',
    meaning: 'The most calls over OXP at a time; one more is told when to come back.',
  },
  maxToolkitCallsPerIdentity: {
    default: 5_000,
    unit: 'count',
    place: 'toolkits',
    meaning:
      'The most calls of one identity over OXP at a time, where there is `auth`; one more is told when to come back.',
  },
  maxToolkitKeptBytes: {
    default: 256 * MB,
    unit: 'bytes',
    place: 'toolkits',
    least: 0,
    meaning:
      'About how much is kept of the results of all calls over OXP; the oldest go first, the newest is always kept.',
  },
};

/** The names of all limits, in the order of the table. */
export const LIMIT_NAMES: readonly LimitName[] = Object.keys(LIMITS) as LimitName[];
