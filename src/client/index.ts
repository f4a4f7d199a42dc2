// Sessions and environments of a server
export { type Client, type ConnectOptions, connect } from './connect.ts';
export type { CallOptions } from './deadline.ts';
export { EnvironmentClient, type WalkOptions } from './environment.ts';
// What fails
export {
  AuthError,
  ClientError,
  HttpError,
  MaxRetries,
  NetworkError,
  OutcomeUnknown,
  SessionTerminated,
  TimedOut,
  ToolCallError,
  type ToolCallReason,
  ToolFailed,
} from './errors.ts';
// Formats of model providers
export { fromProviderCall, type ProviderFormat, type ProviderTools, toProviderTools } from './formats/index.ts';
export type { EpisodeChoice, SessionRequest } from './open-session.ts';
export type { RetryOptions } from './retry.ts';
export { Session } from './session.ts';
export type { Fetch } from './transport.ts';
export type { CallResult, InputsOf, TaskOf, ToolInput } from './types.ts';
