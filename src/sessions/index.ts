export { AgedMap } from './aged-map.ts';
export { Call } from './call.ts';
export type { CallEnding } from './call-ending.ts';
export { Counts } from './counts.ts';
export type { SessionEnd } from './episode-outcome.ts';
export { fingerprintOf } from './fingerprint.ts';
export { type CreateRequest, LocalHost, type SessionHost, type TaskChoice } from './host.ts';
export { sidOf, toCallKey, toSessionKey } from './key.ts';
export {
  type ObservedCall,
  type ObservedSession,
  type Observer,
  type SetupResult,
  type TraceHeaders,
  unobserved,
} from './observer.ts';
export { DEFAULT_SESSION_OPTIONS, type SessionOptions, type SessionRules } from './options.ts';
export type { CallRequest } from './runner.ts';
export { sessionNotFound } from './sessions.ts';
export { Toolbox } from './toolbox.ts';
export { type RepeatKey, ToolboxCall, type ToolboxRequest } from './toolbox-call.ts';
export type { ToolboxEnding, ToolFailure } from './toolbox-ending.ts';
