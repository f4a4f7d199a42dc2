import type { CallToolResult, Server, ServerContext } from '@modelcontextprotocol/server';
import { isObject } from '../protocol/index.ts';
import { version } from '../version.ts';
import { toContent } from './content.ts';
import { type McpFace, type McpResult, type RunningCall, UnknownTool } from './face.ts';
import { TASK_PROMPT } from './instructions.ts';
import type { McpLibrary } from './library.ts';

/** How a face is served. */
export interface FaceServerOptions {
  readonly instructions?: string | undefined;
  /** What a client may read of something that was thrown; undefined: nothing. */
  readonly explain: (thrown: unknown) => string | undefined;
  /** Follows a call whose client can cancel it only with another request; left out: a client that leaves cancels its calls. */
  readonly follow?: ((id: string | number, call: RunningCall) => void) | undefined;
  /** Hears of what nobody foresaw; clients do not. */
  readonly onError: (error: unknown) => void;
}

/** The key of a request's metadata under which a client gives a call an id of its own: a repeat of it never runs twice. */
const CALL_ID_META = 'tiltyard/call_id';

// A client that hears nothing for long may give up.
const PROGRESS_MS = 10_000;

/** A face as the SDK serves it: for one request over HTTP, for one connection over stdio. */
export function toFaceServer(sdk: McpLibrary, face: McpFace, options: FaceServerOptions): Server {
  const { instructions } = options;
  const capabilities = { tools: {}, ...(face.prompt === undefined ? {} : { prompts: {} }) };
  const server = new sdk.Server(
    { name: `tiltyard-${face.name}`, version },
    { capabilities, ...(instructions === undefined ? {} : { instructions }) },
  );
  const guard = <Value>(act: () => Value | Promise<Value>) => guarded(sdk, options, act);
  server.setRequestHandler('tools/list', () => guard(async () => ({ tools: [...(await face.tools())] as never })));
  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) =>
    guard(async () => {
      const callId = readCallId(sdk, mcpReq._meta);
      const input = structuredClone(params.arguments ?? {}) as never;
      const call = face.call({ name: params.name, input, mcpId: String(mcpReq.id), callId });
      // With an id of its own, it can be asked for once more.
      if (options.follow === undefined && callId === undefined) mcpReq.signal.addEventListener('abort', call.cancel);
      options.follow?.(mcpReq.id, call);
      const progress = tellProgress(mcpReq);
      const result = await call.told.finally(() => clearInterval(progress));
      return server.projectCallToolResult(toCallToolResult(result), result.structured?.schema as never);
    }),
  );
  if (face.prompt !== undefined) servePrompt(sdk, server, face.prompt, guard);
  return server;
}

type Guard = <Value>(act: () => Value | Promise<Value>) => Promise<Value>;

function servePrompt(sdk: McpLibrary, server: Server, read: NonNullable<McpFace['prompt']>, guard: Guard): void {
  const prompt = { name: TASK_PROMPT, description: 'The task of this episode.' };
  server.setRequestHandler('prompts/list', () => ({ prompts: [prompt] }));
  server.setRequestHandler('prompts/get', ({ params }) =>
    guard(async () => {
      if (params.name !== TASK_PROMPT)
        throw new sdk.ProtocolError(
          sdk.ProtocolErrorCode.InvalidParams,
          `there is no prompt '${params.name}', only '${TASK_PROMPT}'`,
        );
      const messages = toContent(await read()).map((content) => ({ role: 'user' as const, content }));
      return { description: prompt.description, messages };
    }),
  );
}

/** Tells a client that wants to know that its call goes on. */
function tellProgress({ _meta, notify }: ServerContext['mcpReq']): NodeJS.Timeout | undefined {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return setInterval(() => {
    progress += 1;
    // A client that has left need not be told.
    notify({ method: 'notifications/progress', params: { progressToken, progress } }).catch(() => {});
  }, PROGRESS_MS).unref();
}

function readCallId(sdk: McpLibrary, meta: unknown): string | undefined {
  const id = isObject(meta) ? meta[CALL_ID_META] : undefined;
  if (id === undefined || (typeof id === 'string' && /^[\x21-\x7e]{1,256}$/.test(id))) return id;
  throw new sdk.ProtocolError(
    sdk.ProtocolErrorCode.InvalidParams,
    `_meta['${CALL_ID_META}'] must be a string of 1 to 256 visible characters`,
  );
}

function toCallToolResult({ content, structured, isError, meta }: McpResult): CallToolResult {
  return {
    content: [...content],
    ...(structured === undefined ? {} : { structuredContent: structured.value as never }),
    ...(isError === undefined ? {} : { isError }),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}

/** Nothing that we did not write leaves the process: the SDK would tell the message of any error. */
async function guarded<Value>(
  { ProtocolError, ProtocolErrorCode }: McpLibrary,
  { explain, onError }: FaceServerOptions,
  act: () => Value | Promise<Value>,
): Promise<Value> {
  try {
    return await act();
  } catch (thrown) {
    if (thrown instanceof ProtocolError) throw thrown;
    if (thrown instanceof UnknownTool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, thrown.message);
    const explained = explain(thrown);
    if (explained !== undefined) throw new ProtocolError(ProtocolErrorCode.InternalError, explained);
    onError(thrown);
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'Internal Server Error');
  }
}
