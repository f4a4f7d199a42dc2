/** All limits of a server. The comments come from the table below; UPDATE_DOCS=1 writes them. */
export interface Limits {
  /** The largest request body; a larger one is 413. */
  bodyBytes: number;
  /** The largest block of request headers; a larger one is 431. */
  headerBytes: number;
  /** How long a client may take to send the request headers, at most `requestMs`; then 408, and the connection closes. */
  headersMs: number;
  /** How long a client may take to send a whole request. Responses may take any time. */
  requestMs: number;
  /** How long an idle connection is kept. Longer than the pools of common clients keep theirs, so that they never meet a reset. */
  keepAliveMs: number;
  /** How many new connections may wait while the server is busy. The system drops more, and may allow fewer. */
  backlog: number;
  /** For a proxy in front: how long a stopping server, which takes no new connections, keeps answering on open ones. */
  noticeMs: number;
  /** How long a stopping server waits for clients to finish sending and reading once its calls and sessions have ended. */
  closeMs: number;
  /** How long running calls may continue when the server stops; after that they are aborted. */
  drainMs: number;
  /** How long a tool or setup may take to end once its signal is aborted; after that the server no longer waits for it. */
  graceMs: number;
  /** How long a setup may take; after that its signal is aborted and its session has failed. 0: no limit. */
  setupMs: number;
  /** How long a teardown may take before the server no longer waits for it. */
  teardownMs: number;
  /** How long code may block the process before the log names it, where there is a watchdog. 0: no watchdog. */
  maxBlockMs: number;
  /** How much memory a worker process may take, where there are workers; one that takes more is ended. 0: no limit. */
  maxWorkerMemoryBytes: number;
  /** How long a call may take if its tool sets no `timeoutMs`. 0: no limit. */
  toolTimeoutMs: number;
  /** The most text one call returns if its tool sets no `maxOutputBytes`; the rest is cut, and the output says so. */
  maxOutputBytes: number;
  /** The total size of the images in one output, as base64; an image beyond it is left out, and the output says so. */
  maxImageBytes: number;
  /** Concurrent sessions; beyond that, 429. */
  maxSessions: number;
  /** Concurrent sessions per identity, with `auth`; beyond that, 429. */
  maxSessionsPerIdentity: number;
  /** Concurrent calls per session; further calls wait. */
  maxCallsInFlight: number;
  /** Calls of one session that may wait beyond `maxCallsInFlight`; beyond that, 429. */
  maxCallsQueued: number;
  /** About how much memory the inputs of one session's running and waiting calls take; beyond that, 429. */
  maxInputBytes: number;
  /** Values in one input or task, those inside others too; fewer if nested more than ten levels deep. One with more is refused before it is checked. */
  maxInputValues: number;
  /** Tasks in one response of `/tasks` and `/task_range`; beyond that, 400 with a hint on paging. */
  maxTasksPerPage: number;
  /** A session without requests for this long ends; a running call keeps it alive. */
  idleMs: number;
  /** How long an ended session answers 410 instead of 404, and how long a journal keeps calls of toolkits. */
  tombstoneMs: number;
  /** How many ended sessions answer 410 instead of 404. */
  maxTombstones: number;
  /** How long the result of a call is kept for clients that reconnect or repeat it. */
  lingerMs: number;
  /** About how much memory the kept results of all calls take, at most half of `maxMemoryBytes`; the oldest go first, the newest always stays. */
  maxKeptBytes: number;
  /** What clients may make the server hold at one time: large bodies, tasks, secrets, inputs, kept and unread results; beyond that, 503. 0: half of what the process may use. */
  maxMemoryBytes: number;
  /** The share of `maxMemoryBytes` that one identity may use, with `auth`; beyond that, 429. 0: half of it. */
  maxMemoryBytesPerIdentity: number;
  /** Concurrent calls over OXP; beyond that, the caller is told when to retry. */
  maxToolkitCalls: number;
  /** Concurrent calls over OXP per identity, with `auth`; beyond that, the caller is told when to retry. */
  maxToolkitCallsPerIdentity: number;
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

/** Every limit of a server. Types, `--help` and docs/configuration.md are made from this table. */
export const LIMITS: Readonly<Record<LimitName, LimitDefinition>> = {
  bodyBytes: {
    default: 16 * MB,
    unit: 'bytes',
    place: 'server',
    meaning: 'The largest request body; a larger one is 413.',
  },
  headerBytes: {
    // Secrets may come as a header of up to 64 KB; the rest of the block needs room as well.
    default: 80 * KB,
    unit: 'bytes',
    place: 'server',
    meaning: 'The largest block of request headers; a larger one is 431.',
  },
  headersMs: {
    default: 20 * SECOND,
    unit: 'ms',
    place: 'server',
    meaning:
      'How long a client may take to send the request headers, at most `requestMs`; then 408, and the connection closes.',
  },
  requestMs: {
    default: 2 * MINUTE,
    unit: 'ms',
    place: 'server',
    meaning: 'How long a client may take to send a whole request. Responses may take any time.',
  },
  keepAliveMs: {
    default: 65 * SECOND,
    unit: 'ms',
    place: 'server',
    meaning:
      'How long an idle connection is kept. Longer than the pools of common clients keep theirs, so that they never meet a reset.',
  },
  backlog: {
    // Node's 511 is less than a trainer opens at once, and Linux gives no more than 4096 unless told (`somaxconn`).
    default: 4096,
    unit: 'count',
    place: 'server',
    meaning: 'How many new connections may wait while the server is busy. The system drops more, and may allow fewer.',
  },
  noticeMs: {
    // Most servers have no proxy in front, and stopping one by hand should not take long.
    default: 0,
    unit: 'ms',
    place: 'server',
    least: 0,
    meaning:
      'For a proxy in front: how long a stopping server, which takes no new connections, keeps answering on open ones.',
  },
  closeMs: {
    default: 5 * SECOND,
    unit: 'ms',
    place: 'server',
    least: 0,
    meaning:
      'How long a stopping server waits for clients to finish sending and reading once its calls and sessions have ended.',
  },
  drainMs: {
    default: 10 * SECOND,
    unit: 'ms',
    place: 'both',
    least: 0,
    meaning: 'How long running calls may continue when the server stops; after that they are aborted.',
  },
  graceMs: {
    default: 5 * SECOND,
    unit: 'ms',
    place: 'both',
    least: 0,
    meaning:
      'How long a tool or setup may take to end once its signal is aborted; after that the server no longer waits for it.',
  },
  setupMs: {
    // Some build software for half an hour; one that takes longer than an hour will most likely never end.
    default: 60 * MINUTE,
    unit: 'ms',
    place: 'environments',
    least: 0,
    meaning: 'How long a setup may take; after that its signal is aborted and its session has failed. 0: no limit.',
  },
  teardownMs: {
    default: 30 * SECOND,
    unit: 'ms',
    place: 'environments',
    least: 0,
    meaning: 'How long a teardown may take before the server no longer waits for it.',
  },
  maxBlockMs: {
    default: SECOND,
    unit: 'ms',
    place: 'server',
    least: 0,
    meaning: 'How long code may block the process before the log names it, where there is a watchdog. 0: no watchdog.',
  },
  maxWorkerMemoryBytes: {
    default: 0,
    unit: 'bytes',
    place: 'server',
    least: 0,
    meaning:
      'How much memory a worker process may take, where there are workers; one that takes more is ended. 0: no limit.',
  },
  toolTimeoutMs: {
    // Tools that build, test or train take as long as they take; only their authors know how long is too long.
    default: 0,
    unit: 'ms',
    place: 'both',
    least: 0,
    meaning: 'How long a call may take if its tool sets no `timeoutMs`. 0: no limit.',
  },
  maxOutputBytes: {
    // Some 250,000 tokens, which is all that a model reads; a tool that needs more says so itself.
    default: MB,
    unit: 'bytes',
    place: 'both',
    meaning:
      'The most text one call returns if its tool sets no `maxOutputBytes`; the rest is cut, and the output says so.',
  },
  maxImageBytes: {
    default: 64 * MB,
    unit: 'bytes',
    place: 'both',
    meaning:
      'The total size of the images in one output, as base64; an image beyond it is left out, and the output says so.',
  },
  maxSessions: {
    default: 100_000,
    unit: 'count',
    place: 'environments',
    meaning: 'Concurrent sessions; beyond that, 429.',
  },
  maxSessionsPerIdentity: {
    default: 50_000,
    unit: 'count',
    place: 'environments',
    meaning: 'Concurrent sessions per identity, with `auth`; beyond that, 429.',
  },
  maxCallsInFlight: {
    default: 100,
    unit: 'count',
    place: 'environments',
    meaning: 'Concurrent calls per session; further calls wait.',
  },
  maxCallsQueued: {
    default: 1_000,
    unit: 'count',
    place: 'environments',
    least: 0,
    meaning: 'Calls of one session that may wait beyond `maxCallsInFlight`; beyond that, 429.',
  },
  maxInputBytes: {
    default: 64 * MB,
    unit: 'bytes',
    place: 'environments',
    meaning: "About how much memory the inputs of one session's running and waiting calls take; beyond that, 429.",
  },
  maxInputValues: {
    // Far more than a model writes. A library may keep a mistake for each value, and a body has room for millions.
    default: 100_000,
    unit: 'count',
    place: 'both',
    meaning:
      'Values in one input or task, those inside others too; fewer if nested more than ten levels deep. One with more is refused before it is checked.',
  },
  maxTasksPerPage: {
    // Official clients list a split in one request, and splits of fifty thousand tasks are not rare.
    default: 100_000,
    unit: 'count',
    place: 'environments',
    meaning: 'Tasks in one response of `/tasks` and `/task_range`; beyond that, 400 with a hint on paging.',
  },
  idleMs: {
    default: 15 * MINUTE,
    unit: 'ms',
    place: 'environments',
    meaning: 'A session without requests for this long ends; a running call keeps it alive.',
  },
  tombstoneMs: {
    default: 15 * MINUTE,
    unit: 'ms',
    place: 'both',
    least: 0,
    meaning: 'How long an ended session answers 410 instead of 404, and how long a journal keeps calls of toolkits.',
  },
  maxTombstones: {
    default: 100_000,
    unit: 'count',
    place: 'environments',
    least: 0,
    meaning: 'How many ended sessions answer 410 instead of 404.',
  },
  lingerMs: {
    default: MINUTE,
    unit: 'ms',
    place: 'both',
    least: 0,
    meaning: 'How long the result of a call is kept for clients that reconnect or repeat it.',
  },
  maxKeptBytes: {
    default: 256 * MB,
    unit: 'bytes',
    place: 'both',
    least: 0,
    meaning:
      'About how much memory the kept results of all calls take, at most half of `maxMemoryBytes`; the oldest go first, the newest always stays.',
  },
  maxMemoryBytes: {
    default: 0,
    unit: 'bytes',
    place: 'both',
    least: 0,
    meaning:
      'What clients may make the server hold at one time: large bodies, tasks, secrets, inputs, kept and unread results; beyond that, 503. 0: half of what the process may use.',
  },
  maxMemoryBytesPerIdentity: {
    default: 0,
    unit: 'bytes',
    place: 'both',
    least: 0,
    meaning: 'The share of `maxMemoryBytes` that one identity may use, with `auth`; beyond that, 429. 0: half of it.',
  },
  maxToolkitCalls: {
    default: 10_000,
    unit: 'count',
    place: 'toolkits',
    meaning: 'Concurrent calls over OXP; beyond that, the caller is told when to retry.',
  },
  maxToolkitCallsPerIdentity: {
    default: 5_000,
    unit: 'count',
    place: 'toolkits',
    meaning: 'Concurrent calls over OXP per identity, with `auth`; beyond that, the caller is told when to retry.',
  },
};

/** The names of all limits, in the order of the table. */
export const LIMIT_NAMES: readonly LimitName[] = Object.keys(LIMITS) as LimitName[];
