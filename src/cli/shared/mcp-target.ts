import { keyFromEnvironment } from '../../client/index.ts';
import { type McpConnection, openMcp } from '../../mcp/index.ts';
import { SECRETS_HEADER, toSecretsHeader } from '../../protocol/index.ts';
import { Failure } from './failure.ts';
import { onInterrupt } from './interruption.ts';
import { toSafeText } from './safe-text.ts';
import { adviceOnSecrets, readSecrets } from './secrets.ts';

/** A server of MCP that a command speaks to. */
export interface OpenMcp {
  readonly connection: McpConnection;
  readonly signal: AbortSignal;
}

/** Connects to an address of MCP, runs a command's work there, and leaves; what goes wrong becomes advice. */
export async function withMcp<Value>(
  url: string,
  secretNames: readonly string[] | undefined,
  run: (open: OpenMcp) => Promise<Value>,
): Promise<Value> {
  const secrets = readSecrets(secretNames);
  using interruption = onInterrupt();
  const { signal } = interruption;
  const key = keyFromEnvironment();
  const headers = {
    ...(key === undefined || key === '' ? {} : { authorization: `Bearer ${key}` }),
    ...(Object.keys(secrets).length === 0 ? {} : { [SECRETS_HEADER]: toSecretsHeader(secrets) }),
  };
  try {
    await using connection = await openMcp({ url, headers }, signal);
    return await run({ connection, signal });
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    throw thrown instanceof Failure ? thrown : new Failure(toSafeText(explain(thrown, url)));
  }
}

function explain(thrown: unknown, url: string): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  if (/\b401\b|unauthorized/i.test(message))
    return `${url} asks for a key. Set the environment variable TILTYARD_API_KEY`;
  if (/fetch failed|ECONNREFUSED/.test(message)) return `${url} cannot be reached: is the server running?`;
  return `${url}: ${adviceOnSecrets(message) ?? message}`;
}
