export { Call, type CallOutcome, type CallPhase } from './call.ts';
export { fingerprintOf } from './fingerprint.ts';
export { type CreateRequest, LocalHost, type SessionHost, type TaskChoice } from './host.ts';
export { sidOf, toSessionKey } from './key.ts';
export { DEFAULT_SESSION_OPTIONS, type SessionOptions, type SessionRules } from './options.ts';
export type { CallRequest } from './runner.ts';
export { sessionNotFound } from './sessions.ts';
export { type Known, type RepeatKey, Toolbox, ToolboxCall, type ToolboxRequest } from './toolbox.ts';
export type { ToolboxOutcome, ToolFailure } from './toolbox-outcome.ts';
