import { nearestOf } from '../../../core/index.ts';

const AUTH_NAMES = [
  'TILTYARD_API_KEYS',
  'TILTYARD_API_KEYS_FILE',
  'TILTYARD_JWT_SECRET',
  'TILTYARD_JWT_SECRET_FILE',
  'TILTYARD_JWT_AUDIENCE',
  'TILTYARD_JWT_MISSING_CLAIMS',
] as const;

/** A variable that says who may use the server. */
export type AuthVariable = (typeof AUTH_NAMES)[number];

/** Those of them that were set. */
export type AuthVariables = Readonly<Partial<Record<AuthVariable, string>>>;

/**
 * Takes the variables that say who may use the server out of the environment: a command that a tool starts must inherit
 * neither a secret nor the way to it.
 */
export function takeAuthVariables(env: NodeJS.ProcessEnv): AuthVariables {
  const given = AUTH_NAMES.flatMap((name) => {
    const value = env[name];
    delete env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(given);
}

/** Takes the key of the journal out of the environment, for the same reason. */
export function takeJournalKey(env: NodeJS.ProcessEnv): string | undefined {
  return take(env, JOURNAL_KEY);
}

/** The same for the address of a cluster: a password may be in it. */
export function takeClusterAddress(env: NodeJS.ProcessEnv): string | undefined {
  return take(env, CLUSTER);
}

/** The same for the key of addresses over MCP. */
export function takeMcpKey(env: NodeJS.ProcessEnv): string | undefined {
  return take(env, MCP_KEY);
}

function take(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const value = env[name];
  delete env[name];
  return value;
}

/** What is wrong with variables that look like those of the command and are none: a slip would open the server. */
export function slipsIn(env: NodeJS.ProcessEnv): string[] {
  return Object.keys(env)
    .filter((name) => !KNOWN.includes(name) && looksLikeOurs(name))
    .filter((name) => name !== OF_CLIENTS || hasNoKeys(env))
    .map((name) => `${name} is ignored: ${name === OF_CLIENTS ? SENT_BY_CLIENTS : noSuch(name)}`);
}

const JOURNAL_KEY = 'TILTYARD_JOURNAL_KEY';
const CLUSTER = 'TILTYARD_CLUSTER';
const MCP_KEY = 'TILTYARD_MCP_KEY';

const KNOWN: readonly string[] = [...AUTH_NAMES, JOURNAL_KEY, CLUSTER, MCP_KEY, 'TILTYARD_LIMITS'];

function noSuch(name: string): string {
  const near = nearestOf(KNOWN, name);
  const advice = near === undefined ? 'tiltyard serve --help names those that there are' : `Did you mean ${near}?`;
  return `there is no such variable. ${advice}`;
}

const OF_CLIENTS = 'TILTYARD_API_KEY';
const SENT_BY_CLIENTS = 'clients send it; a server reads its keys from TILTYARD_API_KEYS';

// With server keys set, a client's key beside them is meant as well.
function hasNoKeys(env: NodeJS.ProcessEnv): boolean {
  return AUTH_NAMES.every((name) => env[name] === undefined);
}

// Not all that begin so: Kubernetes sets such for each service that is called tiltyard.
function looksLikeOurs(name: string): boolean {
  return /^TILTYARD_.*(?:KEY|JWT|SECRET|AUDIENCE|LIMIT)/i.test(name) || nearestOf(KNOWN, name) !== undefined;
}
