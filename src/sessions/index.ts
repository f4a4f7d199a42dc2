export { Call, type CallOutcome, type CallPhase } from './call.ts';
export { type CreateRequest, LocalHost, type SessionHost, type TaskChoice } from './host.ts';
export { DEFAULT_SESSION_OPTIONS, type SessionOptions } from './options.ts';
export type { CallRequest } from './runner.ts';
