import type { AuthOptions } from '../../../server/index.ts';
import { misuse } from '../failure.ts';
import { toAuth } from './auth.ts';
import type { Warn } from './secret-file.ts';
import { slipsIn, takeAuthVariables } from './variables.ts';

/** What the command line says about who may use the server. */
export interface AccessOptions {
  readonly host: string;
  /** False lets everybody in. */
  readonly auth: boolean;
}

/**
 * Who may use the server: never from the command line, which others can read. Without keys it must not be reachable from
 * other machines, unless that was said.
 */
export async function takeAccess(
  { host, auth: isWanted }: AccessOptions,
  warn: Warn,
): Promise<AuthOptions | undefined> {
  for (const slip of slipsIn(process.env)) warn(slip);
  const given = takeAuthVariables(process.env);
  if (!isWanted) {
    for (const name of Object.keys(given)) warn(`${name} is ignored: --no-auth allows everyone`);
    return undefined;
  }
  const auth = await toAuth(given, warn);
  if (auth === undefined && !isLoopback(host)) {
    throw misuse(
      `${host} can be reached from other machines, and no key is required. Set TILTYARD_API_KEYS or ` +
        'TILTYARD_JWT_SECRET, or name a file with TILTYARD_API_KEYS_FILE or TILTYARD_JWT_SECRET_FILE, ' +
        'or add --no-auth to allow everyone',
    );
  }
  return auth;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
