export { DEFAULT_LIMITS, type Limits } from '../core/index.ts';
export type { ObservedCall, ObservedSession, Observer, TraceHeaders } from '../sessions/index.ts';
export type { ApiKey, AuthOptions, JwtOptions, OrsScope } from './auth.ts';
export type { ToolErrors } from './call-answer.ts';
export { createServer, type ListenOptions, type Server, type ServerOptions } from './create-server.ts';
export type { ErrorBody, ReturnErrors } from './errors.ts';
export { longestStopMs } from './limits.ts';
export { type OrsOptions, ors } from './ors.ts';
export { type OxpOptions, oxp } from './oxp.ts';
