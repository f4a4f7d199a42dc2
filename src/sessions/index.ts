export { Call, type CallOutcome, type CallPhase } from './call.ts';
export { type CreateRequest, LocalHost, type SessionHost, type TaskChoice } from './host.ts';
export { sidOf, toSessionKey } from './key.ts';
export { DEFAULT_SESSION_OPTIONS, type SessionOptions } from './options.ts';
export type { CallRequest } from './runner.ts';
export { sessionNotFound } from './sessions.ts';
export {
  fingerprintOf,
  type Known,
  Toolbox,
  ToolboxCall,
  type ToolboxOutcome,
  type ToolboxRequest,
} from './toolbox.ts';
