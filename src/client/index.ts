// What servers list
export type {
  FailureReason,
  Outcome,
  Split,
  SplitType,
  ToolDefinition,
  ToolSpec,
  WireBlock,
  WireImageBlock,
  WireRequirements,
  WireTextBlock,
} from '../protocol/index.ts';
// Sessions and environments of a server
export type { AnswerBounds } from './answer-bounds.ts';
export { keyFromEnvironment } from './api-key.ts';
export { type Client, type ConnectOptions, connect } from './connect.ts';
export { type Credentials, credentialsIn } from './credentials.ts';
export type { CallOptions } from './deadline.ts';
export type { EnvironmentClient, WalkOptions } from './environment.ts';
// What fails
export {
  AnswerTooLarge,
  AuthError,
  ClientError,
  type ErrorContext,
  HttpError,
  INVALID_REWARD,
  MaxRetries,
  NetworkError,
  NOT_JSON,
  OutcomeUnknown,
  SessionTerminated,
  TimedOut,
  ToolCallError,
  type ToolCallReason,
  ToolFailed,
  UNEXPECTED_ANSWER,
  UNREADABLE_PART,
} from './errors.ts';
// Formats of model providers
export {
  fromProviderCall,
  type ProviderCall,
  type ProviderFormat,
  type ProviderTools,
  type ToolsOptions,
  toProviderTools,
} from './formats/index.ts';
export type { EpisodeChoice, SessionOptions, SessionRequest } from './open-session.ts';
// Tools of a server
export { type ConnectOxpOptions, connectOxp, type OxpCallOptions, type OxpClient } from './oxp.ts';
export type { OxpCallContext, OxpResult } from './oxp-call.ts';
export type { JwtSigning, OxpCredentials } from './oxp-credentials.ts';
export {
  type MissingRequirements,
  OxpServerError,
  type OxpServerErrorDetails,
  OxpToolError,
  type OxpToolErrorDetails,
  OxpValidationError,
} from './oxp-errors.ts';
export type { OxpInput, OxpValue, ToolIdOf } from './oxp-types.ts';
// How requests are sent
export { isUntrusted, type RetryOptions } from './retry.ts';
export type { Session } from './session.ts';
export type { Fetch } from './transport.ts';
export type { CallResult, InputArguments, InputsOf, TaskOf, ToolInput } from './types.ts';
