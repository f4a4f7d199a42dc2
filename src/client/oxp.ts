import { isObject, type ToolDefinition } from '../protocol/index.ts';
import type { AnswerBounds } from './answer-bounds.ts';
import { type CallOptions, Deadline } from './deadline.ts';
import { End } from './end.ts';
import { KnownInstance } from './instance.ts';
import { readToolDefinitions, toOxpError } from './oxp-answers.ts';
import { callOxpTool, isTemporary, type OxpCallContext, type OxpResult, type OxpServer } from './oxp-call.ts';
import { credentialHeaders, type OxpCredentials } from './oxp-credentials.ts';
import { OxpValidationError } from './oxp-errors.ts';
import type { OxpInput, OxpValue, ToolIdOf } from './oxp-types.ts';
import { readJson } from './read-json.ts';
import { DEFAULT_RETRY, isPassing, type RetryOptions, withRetries } from './retry.ts';
import { type Fetch, Transport } from './transport.ts';
import type { InputArguments } from './types.ts';
import { unlessAborted } from './unless-aborted.ts';

/** How to use a server of tools. */
export interface ConnectOxpOptions extends OxpCredentials, AnswerBounds {
  /** Headers for every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Another fetch than the platform's. */
  readonly fetch?: Fetch | undefined;
  /** How failed requests are repeated. Default: 6 attempts, with pauses from 250 ms to 10 s. */
  readonly retry?: Partial<RetryOptions> | undefined;
  /**
   * What to do when a connection drops after a call was sent. Default: repeat it with the same id, which OXP makes safe,
   * until the server turns out to take no notice of ids, as LangChain's does: there a repeat may run a tool twice.
   */
  readonly onUnknown?: 'fail' | 'repeat' | undefined;
}

/** How one tool is called. */
export interface OxpCallOptions extends CallOptions {
  /** What the tool requires of its caller. */
  readonly context?: OxpCallContext | undefined;
  /** Reaches the tool and its logs. */
  readonly traceId?: string | undefined;
  /** The id of the call: the same one again, within a minute or so, gives the same result and runs nothing. Default: a new one. */
  readonly callId?: string | undefined;
  /** How often a tool is called again that failed and says that this may help. Default: 2. */
  readonly maxToolRetries?: number | undefined;
}

/** A server of tools. */
export interface OxpClient<Kit = unknown> {
  /** All tools that this caller may use, in all their versions. */
  tools(options?: CallOptions): Promise<ToolDefinition[]>;
  /**
   * Calls a tool: once for each id, also when the connection drops. Rejects with OxpToolError when the tool failed,
   * OxpValidationError when the input does not fit, OxpServerError when the server refused.
   */
  call<Id extends ToolIdOf<Kit>>(
    toolId: Id,
    ...[input, options]: InputArguments<OxpInput<Kit, Id>, [options?: OxpCallOptions]>
  ): Promise<OxpResult<OxpValue<Kit, Id>>>;
}

/** Connects to an OXP server. `connectOxp<typeof calculator>(url)` knows the toolkit's tools, their inputs and values. */
export function connectOxp<Kit = unknown>(url: string, options: ConnectOxpOptions = {}): OxpClient<Kit> {
  const { headers, fetch, onUnknown } = options;
  const transport = new Transport({ url, headers, fetch, toError: toOxpError, bounds: options });
  // Where calls are repeated in any case, or in none, it makes no difference who answers.
  const instance = onUnknown === undefined ? new KnownInstance() : undefined;
  const server: OxpServer = {
    transport,
    instance,
    meet: onceAtATime((signal) => askInstance(server, signal)),
    retry: { ...DEFAULT_RETRY, ...options.retry },
    credentials: credentialHeaders(options),
    keepsIds: onUnknown !== 'fail',
    doubtIds() {
      if (onUnknown === undefined) this.keepsIds = false;
    },
  };
  return {
    tools: (how = {}) => listTools(server, how),
    async call(toolId, ...[input = {} as never, how = {}]) {
      if (!isObject(input)) throw new OxpValidationError('the input of a tool must be an object', {});
      const { context = {}, traceId, callId, maxToolRetries = 2, timeoutMs = Number.POSITIVE_INFINITY } = how;
      using deadline = new Deadline({ what: `the call of '${toolId}'` }, how);
      const { end: signal } = deadline;
      signal.throwIfAborted();
      const until = Date.now() + timeoutMs;
      return await callOxpTool({ server, toolId, input, context, traceId, callId, maxToolRetries, signal, until });
    },
  };
}

/** Hears which instance answers; a server without this route may be asked again, and one that is not there has to be. */
async function askInstance({ transport, instance: hearer, credentials }: OxpServer, signal: End): Promise<void> {
  using deadline = new Deadline({ what: 'GET /health' }, { timeoutMs: HEALTH_MS, signal });
  try {
    const headers = await credentials();
    await transport.ask({ method: 'GET', path: '/health', headers, hearer, signal: deadline.end });
  } catch (error) {
    if (isPassing(error) && hearer?.isUnheard) throw error;
  }
}

// A server that does not say so for so long is asked for more at once.
const HEALTH_MS = 10_000;

/** Runs something once for all who ask meanwhile; none of them waits longer than its signal, and it ends when none waits. */
function onceAtATime(run: (signal: End) => Promise<void>): (signal: End) => Promise<void> {
  let running: { readonly work: Promise<void>; readonly stop: End; waiting: number } | undefined;
  const begin = () => {
    const stop = new End();
    return { work: run(stop), stop, waiting: 0 };
  };
  return async (signal) => {
    running ??= begin();
    const joined = running;
    joined.waiting += 1;
    try {
      await unlessAborted(joined.work, signal);
    } finally {
      joined.waiting -= 1;
      if (joined.waiting === 0) {
        running = undefined;
        joined.stop.come(signal.reason);
      }
    }
  };
}

async function listTools(server: OxpServer, options: CallOptions): Promise<ToolDefinition[]> {
  const { transport, retry, credentials } = server;
  using deadline = new Deadline(
    { what: 'GET /tools' },
    {
      ...options,
      timeoutMs: options.timeoutMs ?? transport.bounds.answerMs,
    },
  );
  const { end: signal } = deadline;
  signal.throwIfAborted();
  const request = { method: 'GET', path: '/tools', signal, hearer: server.instance } as const;
  const read = (body: unknown) => {
    // LangChain's tool server, which takes no notice of the ids of calls.
    if (Array.isArray(body)) server.doubtIds();
    return readToolDefinitions(body);
  };
  const ask = async () => readJson(await transport.ask({ ...request, headers: await credentials() }), request, read);
  return await withRetries('GET /tools', ask, { retry, signal, mayRepeat: isTemporary });
}
