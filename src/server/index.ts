export { DEFAULT_LIMITS, type Limits } from '../core/index.ts';
export type {
  ObservedCall,
  ObservedSession,
  Observer,
  SessionEnd,
  SessionRules,
  SetupResult,
  TraceHeaders,
} from '../sessions/index.ts';
export type { ApiKey } from './auth/api-keys.ts';
export { type AuthOptions, assertAuth } from './auth/authenticator.ts';
export type { OrsScope } from './auth/identity.ts';
export type { JwtOptions } from './auth/tokens.ts';
export type { ToolErrors } from './call-answer.ts';
export { createServer, type ListenOptions, type Server, type ServerOptions } from './create-server.ts';
export type { ErrorBody, ReturnErrors } from './errors.ts';
export { longestStopMs } from './limits.ts';
export { type OrsOptions, ors } from './ors.ts';
export { type OxpOptions, oxp } from './oxp.ts';
