export { isEmpty } from './author-code.ts';
// The two seams: where sessions and tools live, and where authors' code runs

export type { RunListener } from './call.ts';
export {
  type CallEnding,
  type CallFailure,
  type FailedOutcome,
  NOT_RUN,
  outcomeOf,
  type RunEnding,
  refused,
  toModelText,
} from './call-ending.ts';
// Options and small things that others share
export { Counts } from './counts.ts';
export { LocalRuntime } from './episode/local-runtime.ts';
export { type Loss, type LossReason, lossOfProcess, type WhyLost, whyNotRebuilt } from './episode/loss.ts';
export { type SessionEnd, toEpisodeOutcome } from './episode/outcome.ts';
export type {
  EpisodeRuntime,
  EpisodeStart,
  OpenEpisode,
  Past,
  PastStep,
  ReadyListener,
  RunRequest,
} from './episode/runtime.ts';
// What happens to sessions and calls
export {
  type CallAsked,
  type CallEnded,
  type CallFacts,
  type CallRunning,
  type CallStarted,
  type CallSubject,
  type CallTold,
  type ContentEvent,
  combineObservers,
  type EpisodeLost,
  type EpisodeOpened,
  type HostEvent,
  type Observer,
  type PastCall,
  type PromptTold,
  type SessionEnded,
  type SessionFacts,
  type SessionNotRecovered,
  type SessionRebuilt,
  type SessionStarted,
  type SessionSubject,
  type SessionSuspended,
  type SetupEnded,
  type SetupResult,
  type Subject,
  type TaskIdReused,
  type TasksSubject,
  type TraceHeaders,
  unobserved,
} from './events.ts';
export {
  type CallEvent,
  type CallListener,
  type CallRequest,
  type CreateRequest,
  type EnvironmentManifest,
  isAbsent,
  type LiveSession,
  type Manifest,
  type Recovered,
  type SessionHost,
  type SessionRef,
  type SessionState,
  type TaskChoice,
  type TaskPage,
  type TaskQuery,
} from './host.ts';
export { isNobody } from './identity.ts';
export type {
  EpisodeKeeper,
  Keeping,
  KeptEpisode,
  RecalledCall,
  RecalledSession,
  RecoveryPlaces,
  UnfinishedCall,
} from './keeper.ts';
export { keyOf } from './key.ts';
// In this process
export { LocalHost } from './local-host.ts';
export { MemoryBudget } from './memory/memory-budget.ts';
export { type SessionMemory, sessionBytes } from './memory/session-memory.ts';
export { DEFAULT_SESSION_OPTIONS, type SessionOptions, type SessionRules } from './options.ts';
export type { SessionCounts } from './sessions.ts';
export { surviveStrayErrors } from './stray-errors.ts';
export { settlesWithin } from './time-limit.ts';
export { toldDigest } from './told-digest.ts';
export type { CallKeeper, KeptRequest, RecalledToolCall } from './toolbox/call-keeper.ts';
export { toDigest } from './toolbox/fingerprint.ts';
export { LocalToolRuntime } from './toolbox/local-tool-runtime.ts';
export { isVisible, type ToolHost, type ToolManifest, type ToolRequest } from './toolbox/tool-host.ts';
export type { ToolRun, ToolRuntime } from './toolbox/tool-runtime.ts';
export { Toolbox, type ToolboxOptions } from './toolbox/toolbox.ts';
