export { Counts } from './counts.ts';
export { Call } from './episode/call.ts';
export type { CallEnding } from './episode/call-ending.ts';
export type { SessionEnd } from './episode/outcome.ts';
export type { CallRequest } from './episode/runner.ts';
export { type CreateRequest, LocalHost, type SessionHost, type TaskChoice } from './host.ts';
export { AgedMap } from './kept/aged-map.ts';
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
export { sessionNotFound } from './sessions.ts';
export { type RepeatKey, ToolboxCall, type ToolboxRequest } from './toolbox/call.ts';
export type { ToolboxEnding, ToolFailure } from './toolbox/ending.ts';
export { fingerprintOf } from './toolbox/fingerprint.ts';
export { Toolbox } from './toolbox/toolbox.ts';
