import type { AuthOptions } from '../../server/index.ts';
import { Failure } from '../shared/failure.ts';
import { takeAuth, type Warn } from './auth.ts';

/** What the command line says about who may use the server. */
export interface AccessOptions {
  readonly host: string;
  /** False lets everybody in. */
  readonly auth: boolean;
}

/** Who may use the server. Without keys it must not be reachable from other machines, unless that was said. */
export function takeAccess({ host, auth: wanted }: AccessOptions, warn: Warn): AuthOptions | undefined {
  const auth = wanted ? takeAuth(process.env, warn) : undefined;
  if (auth === undefined && wanted && !isLoopback(host)) {
    throw new Failure(
      `${host} can be reached from other machines, and nobody needs a key. ` +
        'Set TILTYARD_API_KEYS or TILTYARD_JWT_SECRET, or add --no-auth to let everybody in',
    );
  }
  return auth;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
