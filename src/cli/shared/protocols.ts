import {
  type CallOptions,
  ClientError,
  HttpError,
  MaxRetries,
  NetworkError,
  type ToolDefinition,
  UNEXPECTED_ANSWER,
} from '../../client/index.ts';
import { Failure } from './failure.ts';
import type { OpenServer } from './open-server.ts';

/** What a server has, by protocol; undefined where it does not speak that one. */
export interface SpokenProtocols {
  /** Names of environments (ORS). */
  readonly environments: readonly string[] | undefined;
  /** Tools outside of environments (OXP). */
  readonly tools: readonly ToolDefinition[] | undefined;
}

/** A server of ORS, and how long it may take to answer. */
export type AskedOfOrs = Pick<OpenServer, 'ors'> & CallOptions;

/** Finds out which protocols a server speaks, and what it has in each. */
export async function discoverProtocols(server: OpenServer): Promise<SpokenProtocols> {
  const environments = await environmentsOf(server);
  const tools = await toolsOf(server, environments !== undefined);
  if (environments === undefined && tools === undefined) throw speaksNeither(server.url);
  return { environments, tools };
}

/** A server that is none of those that the commands know. */
export function speaksNeither(url: string): Failure {
  return new Failure(
    `${url} is neither an ORS server (no /list_environments) nor an OXP server (no list at /tools). ` +
      'Check the URL, including any path prefix',
  );
}

/** The names of the environments, or undefined from a server that does not speak ORS. */
export async function environmentsOf({ ors, signal, timeoutMs }: AskedOfOrs): Promise<readonly string[] | undefined> {
  try {
    return await ors.environments({ signal, timeoutMs });
  } catch (thrown) {
    // Servers of another protocol may have something else there.
    if (thrown instanceof ClientError && thrown.code === UNEXPECTED_ANSWER) return undefined;
    if (thrown instanceof HttpError && (thrown.status === 404 || thrown.status === 405)) return undefined;
    throw thrown;
  }
}

async function toolsOf(
  { oxp, signal }: OpenServer,
  speaksOrs: boolean,
): Promise<readonly ToolDefinition[] | undefined> {
  try {
    return await oxp.tools({ signal });
  } catch (thrown) {
    if (!(thrown instanceof ClientError) || hasGivenUp(thrown)) throw thrown;
    if (!speaksOrs && thrown.status === 401) throw thrown;
    // Servers of ORS answer this path with something else, or not at all.
    return undefined;
  }
}

// Without an answer, nothing is known of what the server speaks.
function hasGivenUp(error: ClientError): boolean {
  return error instanceof NetworkError || error instanceof MaxRetries;
}
