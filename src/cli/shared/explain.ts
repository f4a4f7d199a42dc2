import { ClientError, isUntrusted, MaxRetries, NetworkError, NOT_JSON } from '../../client/index.ts';
import type { ErrorCode } from '../../core/index.ts';
import { EXIT_CODES, Failure } from './failure.ts';
import { withoutForeignFrames } from './location.ts';
import { toSafeText } from './safe-text.ts';
import { adviceOnSecrets } from './secrets.ts';

/** The server that a command spoke to when something failed. */
export interface Addressed {
  readonly url: string;
  /** Whether a key was sent along. */
  readonly hasKey: boolean;
  /** Whether it has answered something before. */
  readonly hasAnswered?: boolean;
}

/** What the client threw, as a failure that says what to do next; anything else stays as it is. */
export function explain(thrown: unknown, server: Addressed): unknown {
  // What failed first says more than the session that could then not be closed either.
  if (isSuppressed(thrown)) return explain(thrown.suppressed, server);
  if (!(thrown instanceof ClientError)) return thrown;
  const advice = adviceFor(thrown, server) ?? toMessage(thrown);
  return new Failure(toSafeText(advice), EXIT_CODES.failed);
}

/** A name that the server does not have, with those that it has. */
export function unknownName(what: string, name: string, known: readonly string[]): Failure {
  const shown = known.slice(0, MOST_NAMES).join(', ');
  const rest = known.length > MOST_NAMES ? `, and ${known.length - MOST_NAMES} more` : '';
  const has = known.length === 0 ? 'There are none' : `Choose one of: ${shown}${rest}`;
  return new Failure(toSafeText(`there is no ${what} '${name}'. ${has}`));
}

/** Whether nobody answered at all. */
export function isUnreached(thrown: unknown): boolean {
  if (thrown instanceof MaxRetries) return isUnreached(thrown.errors.at(-1));
  return thrown instanceof NetworkError;
}

const MOST_NAMES = 30;

const SETUP_FAILED: ErrorCode = 'setup_failed';

function isSuppressed(thrown: unknown): thrown is { readonly suppressed: unknown } {
  return thrown instanceof Error && thrown.name === 'SuppressedError' && 'suppressed' in thrown;
}

function adviceFor(error: ClientError, { url, hasKey, hasAnswered = false }: Addressed): string | undefined {
  // First: its author chose the status, and a 401 of a setup is not about the API key.
  if (error.code === SETUP_FAILED)
    return `the setup of the episode failed: ${withoutForeignFrames(detailOf(error))}\nIf it needs a secret, set the environment variable NAME and add --secret NAME`;
  const onSecrets = adviceOnSecrets(detailOf(error));
  if (onSecrets !== undefined) return onSecrets;
  const { hostname, port, host } = new URL(url);
  if (hasAnswered && isUnreached(error))
    return `the connection to ${host} was lost: ${toMessage(error)}. It answered before, so it has stopped or is restarting: check its log and try again`;
  switch (error.code) {
    case 'ECONNREFUSED':
      return `nothing is listening at ${url}. Start a server with: tiltyard serve <module>${port === '' ? '' : ` --port ${port}`}`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `host '${hostname}' not found, or this machine is offline. Check the URL ${url}`;
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return `${host} is not responding. Check the URL, the network and firewalls`;
  }
  if (error instanceof NetworkError && isUntrusted(error))
    return `the certificate of ${host} is not trusted here: ${causeOf(error)}. If it is your own, set the environment variable NODE_EXTRA_CA_CERTS to a file that has it`;
  if (/\bbad port\b/.test(error.message))
    return `Node's fetch blocks port ${port}, which belongs to another protocol. Serve on another port`;
  if (error.status === 401) {
    return hasKey
      ? `${host} rejected the API key. Set the environment variable TILTYARD_API_KEY to a valid one`
      : `${host} requires an API key. Set the environment variable TILTYARD_API_KEY`;
  }
  if (error.status === 403) return `${host} does not allow this API key to do that: ${detailOf(error)}`;
  if (error.code === NOT_JSON)
    return `${error.message}\nIs ${url} an ORS or OXP server? Include any path prefix in the URL`;
  return undefined;
}

// What all attempts together failed with is said best by the last of them.
function toMessage(error: ClientError): string {
  const last = error instanceof MaxRetries ? error.errors.at(-1) : error;
  return last?.message ?? error.message;
}

// What fetch throws has the reason inside.
function causeOf(error: Error): string {
  return error.cause instanceof Error ? causeOf(error.cause) : error.message;
}

function detailOf(error: ClientError): string {
  return 'detail' in error && typeof error.detail === 'string' ? error.detail : error.message;
}
