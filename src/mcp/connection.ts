import type { Client, Transport } from '@modelcontextprotocol/client';
import type { ToolAnnotations } from '../core/index.ts';
import type { JsonObject } from '../protocol/index.ts';
import { version } from '../version.ts';
import { loadMcpClient, type McpClientLibrary } from './client-library.ts';

/** Where a server of MCP is: at a URL, or a program that is started for it. */
export type McpAddress =
  | {
      readonly url: string;
      /** Sent with every request, such as `authorization`. */
      readonly headers?: Readonly<Record<string, string>>;
    }
  | {
      readonly command: string;
      readonly args?: readonly string[];
      /** Variables that the program gets beside the usual ones. */
      readonly env?: Readonly<Record<string, string>>;
      readonly cwd?: string;
    };

/** A tool of a server, as it lists it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject | undefined;
  readonly annotations?: ToolAnnotations | undefined;
}

/** What came of a call. */
export interface CalledTool {
  readonly content: readonly JsonObject[];
  readonly structuredContent?: unknown;
  readonly isError: boolean;
  readonly meta: JsonObject;
}

/** A server of MCP that this process is connected to. */
export interface McpConnection extends AsyncDisposable {
  /** All of its tools, in its order. */
  tools(signal?: AbortSignal): Promise<readonly ListedTool[]>;
  /** Calls a tool. Rejects if the server refuses the request itself. */
  call(name: string, input: JsonObject, signal?: AbortSignal): Promise<CalledTool>;
  close(): Promise<void>;
}

// Tools of environments may take as long as they like; whoever waits has a signal.
const LONGEST_CALL_MS = 2 ** 31 - 1;

/** Connects to a server of either era. */
export async function openMcp(address: McpAddress, signal?: AbortSignal): Promise<McpConnection> {
  const sdk = await loadMcpClient();
  const client = await connect(sdk, address, signal).catch((thrown) => {
    // A server that has restarted leaves a connection behind that only looks open.
    if ('url' in address && /fetch failed/.test(String(thrown)) && signal?.aborted !== true)
      return connect(sdk, address, signal);
    throw thrown;
  });
  const close = () => client.close();
  return {
    tools: (stop = signal) => listAll(client, stop),
    async call(name, input, stop = signal) {
      const options = { timeout: LONGEST_CALL_MS, ...(stop === undefined ? {} : { signal: stop }) };
      const {
        content = [],
        structuredContent,
        isError = false,
        _meta = {},
      } = await client.callTool({ name, arguments: input }, options);
      return { content: content as never, structuredContent, isError: isError === true, meta: _meta as never };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function connect(sdk: McpClientLibrary, address: McpAddress, signal: AbortSignal | undefined): Promise<Client> {
  const client = new sdk.Client({ name: 'tiltyard', version }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(toTransport(sdk, address), signal === undefined ? {} : { signal });
  return client;
}

function toTransport(sdk: McpClientLibrary, address: McpAddress): Transport {
  if ('url' in address) {
    const { url, headers = {} } = address;
    return new sdk.StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { ...headers } } });
  }
  const { command, args = [], env, cwd } = address;
  const own = env === undefined ? {} : { env: { ...sdk.getDefaultEnvironment(), ...env } };
  return new sdk.StdioClientTransport({
    command,
    args: [...args],
    ...own,
    ...(cwd === undefined ? {} : { cwd }),
    stderr: 'ignore',
  });
}

async function listAll(client: Client, signal: AbortSignal | undefined): Promise<readonly ListedTool[]> {
  const options = signal === undefined ? {} : { signal };
  const listed: ListedTool[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor }, options);
    for (const { name, description = '', inputSchema, outputSchema, annotations } of page.tools)
      listed.push({ name, description, inputSchema, outputSchema, annotations } as ListedTool);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return listed;
}
