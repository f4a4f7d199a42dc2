export { DEFAULT_LIMITS, type Failure, type Limits, type Problem, type Thrown } from '../core/index.ts';
export type { MissingRequirements } from '../protocol/index.ts';
export type {
  CallAsked,
  CallEnded,
  CallEnding,
  CallFacts,
  CallFailure,
  CallRunning,
  CallStarted,
  CallSubject,
  CallTold,
  ContentEvent,
  EpisodeLost,
  EpisodeOpened,
  FailedOutcome,
  HostEvent,
  LossReason,
  Observer,
  PastCall,
  PromptTold,
  SessionEnd,
  SessionEnded,
  SessionFacts,
  SessionNotRecovered,
  SessionRebuilt,
  SessionRules,
  SessionStarted,
  SessionSubject,
  SessionSuspended,
  SetupEnded,
  SetupResult,
  Subject,
  TaskIdReused,
  TasksSubject,
  TraceHeaders,
} from '../sessions/index.ts';
export type { ApiKey } from './auth/api-keys.ts';
export { type AuthOptions, assertAuth } from './auth/authenticator.ts';
export type { OrsScope } from './auth/identity.ts';
export type { JwtOptions } from './auth/tokens.ts';
export type { ClusterOption } from './cluster/option.ts';
export { createServer } from './create-server.ts';
export type { JournalOption } from './durable/option.ts';
export type { ErrorBody, ReturnErrors } from './http/errors.ts';
export { longestStopMs } from './http/limits.ts';
export { assertWebOptions, type WebOptions } from './http/web-guard.ts';
export type { McpOption } from './mcp/option.ts';
export type { WatchdogOption } from './observe/watchdog/server-watchdog.ts';
export { startModuleRuntime } from './optional-parts.ts';
export type { ToolErrors } from './ors/call-answer.ts';
export { ors } from './ors/plugin.ts';
export type { OrsOptions } from './ors/service.ts';
export { oxp } from './oxp/plugin.ts';
export type { OxpOptions } from './oxp/service.ts';
export type { RecordOption } from './recording/option.ts';
export type { ListenOptions, Server } from './running-server.ts';
export type { ServedNames } from './served-names.ts';
export type { ServerOptions } from './server-options.ts';
export type { WorkersOption } from './workers/option.ts';
