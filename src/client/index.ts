// What servers list
export type { Outcome, ToolDefinition } from '../protocol/index.ts';
// Sessions and environments of a server
export { type Client, type ConnectOptions, connect } from './connect.ts';
export type { CallOptions } from './deadline.ts';
export { EnvironmentClient, type WalkOptions } from './environment.ts';
// What fails
export {
  AuthError,
  ClientError,
  HttpError,
  INVALID_REWARD,
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
export {
  fromProviderCall,
  type ProviderFormat,
  type ProviderTools,
  type ToolsOptions,
  toProviderTools,
} from './formats/index.ts';
export type { EpisodeChoice, SessionRequest } from './open-session.ts';
// Tools of a server
export { type ConnectOxpOptions, connectOxp, type OxpCallOptions, type OxpClient } from './oxp.ts';
export type { OxpCallContext, OxpResult } from './oxp-call.ts';
export type { JwtSigning, OxpCredentials } from './oxp-credentials.ts';
export { type MissingRequirements, OxpServerError, OxpToolError, OxpValidationError } from './oxp-errors.ts';
export type { OxpInput, OxpValue, ToolIdOf } from './oxp-types.ts';
// How requests are sent
export type { RetryOptions } from './retry.ts';
export { Session } from './session.ts';
export type { Fetch } from './transport.ts';
export type { CallResult, InputArguments, InputsOf, TaskOf, ToolInput } from './types.ts';
