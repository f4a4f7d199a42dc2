import { readFileSync, statSync } from 'node:fs';
import type { AuthOptions, JwtOptions } from '../../server/index.ts';
import { splitKeys, toApiKeys } from './api-keys.ts';

/** Writes a line for the person at the terminal. */
export type Warn = (message: string) => void;

/**
 * Who may use the server, from environment variables and files that they name; never from the command line, which others
 * can read. What is secret is taken out of the environment: a command that a tool starts must not inherit it.
 */
export function takeAuth(env: NodeJS.ProcessEnv, warn: Warn): AuthOptions | undefined {
  const apiKeys = takeApiKeys(env, warn);
  const jwt = takeJwt(env, warn);
  if (apiKeys.length === 0 && jwt === undefined) return undefined;
  return { apiKeys, ...(jwt === undefined ? {} : { jwt }) };
}

function takeApiKeys(env: NodeJS.ProcessEnv, warn: Warn): NonNullable<AuthOptions['apiKeys']> {
  const given = take(env, 'TILTYARD_API_KEYS');
  const list = splitKeys(given ?? '', ',');
  if (given !== undefined && list.length === 0) throw new Error('TILTYARD_API_KEYS holds no API key');
  const text = readNamed(env, 'TILTYARD_API_KEYS_FILE', warn);
  return text === undefined ? list : [...list, ...toApiKeys(text, fileOf('TILTYARD_API_KEYS_FILE'))];
}

function takeJwt(env: NodeJS.ProcessEnv, warn: Warn): JwtOptions | undefined {
  const given = take(env, 'TILTYARD_JWT_SECRET');
  const read = readNamed(env, 'TILTYARD_JWT_SECRET_FILE', warn)?.trim();
  if (given !== undefined && read !== undefined)
    throw new Error('there are two secrets: set TILTYARD_JWT_SECRET or TILTYARD_JWT_SECRET_FILE, not both');
  const secret = given ?? read;
  const audience = splitKeys(env.TILTYARD_JWT_AUDIENCE ?? '', ',');
  if (secret === undefined) {
    if (audience.length > 0) throw new Error('TILTYARD_JWT_AUDIENCE is of no use without TILTYARD_JWT_SECRET');
    return undefined;
  }
  return { secret, ...(audience.length === 0 ? {} : { audience }) };
}

function take(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = env[name];
  delete env[name];
  return value === '' ? undefined : value;
}

/** The text of the file that a variable names. */
function readNamed(env: NodeJS.ProcessEnv, name: string, warn: Warn): string | undefined {
  const path = env[name];
  if (path === undefined || path === '') return undefined;
  try {
    const text = readFileSync(path, 'utf8');
    if (isReadByAll(path)) warn(`every user of this machine can read ${fileOf(name)}. Close it: chmod 600 ${path}`);
    return text;
  } catch (thrown) {
    // Without the path, and so without the cause: who mistakes the variable gives a key in its place.
    throw new Error(`${fileOf(name)} cannot be read (${(thrown as NodeJS.ErrnoException).code})`);
  }
}

function isReadByAll(path: string): boolean {
  // Windows has other rights, and shows these as open.
  return process.platform !== 'win32' && (statSync(path).mode & 0o004) !== 0;
}

function fileOf(name: string): string {
  return `the file that ${name} names`;
}
