import type { AuthInfo, McpHttpHandler } from '@modelcontextprotocol/server';
import type { FastifyBaseLogger } from 'fastify';
import { TiltyardError, toError } from '../../core/index.ts';
import { assertMcp, loadMcp, type McpFace, type RunningCall, toFaceServer } from '../../mcp/index.ts';
import { MAX_AGENT_TOOL_NAME } from '../../protocol/index.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import type { JsonParser } from '../http/bodies.ts';
import { type ReturnErrors, toDetail } from '../http/errors.ts';
import type { Transfers } from '../http/transfers.ts';
import type { Observation } from '../observe/observation.ts';
import type { OrsService } from '../ors/service.ts';
import type { OxpService } from '../oxp/service.ts';
import { CancellableCalls } from './cancellable-calls.ts';
import { Handles } from './handles.ts';
import { LazyEpisodes } from './lazy-episodes.ts';
import { LazyHandler } from './lazy-handler.ts';
import type { McpOption } from './option.ts';
import { type ToolkitNames, toolkitNames } from './toolkit-names.ts';

/** What a server has that MCP is served from. */
export interface McpParts {
  readonly ors: OrsService | undefined;
  readonly oxp: OxpService | undefined;
  readonly transfers: Transfers;
  readonly parse: JsonParser;
  readonly returnErrors: ReturnErrors;
  readonly log: FastifyBaseLogger;
}

/** What all routes of MCP need to find out what a request is about. */
export interface McpCommon {
  readonly authenticator: Authenticator | undefined;
  readonly traceOf: Observation['traceOf'];
  readonly returnErrors: ReturnErrors;
  readonly handles: Handles;
}

/** What the routes of episodes need. */
export interface McpEpisodes extends McpCommon, Pick<OrsService, 'host' | 'environment'> {
  readonly lazy: LazyEpisodes;
}

/** What the route of toolkits needs. */
export interface McpToolkits extends McpCommon, Pick<OxpService, 'host'> {
  readonly names: ToolkitNames;
}

/** MCP made ready. */
export interface McpService extends McpCommon, Pick<McpParts, 'transfers' | 'parse'> {
  /** Serves requests; the first one waits until the SDK is loaded. */
  readonly handler: LazyHandler;
  readonly cancellable: CancellableCalls;
  /** Undefined where there are no environments. */
  readonly episodes: McpEpisodes | undefined;
  /** Undefined where there are no toolkits. */
  readonly toolkits: McpToolkits | undefined;
}

/** What one request is about. */
export interface Served {
  readonly face: McpFace;
  /** What cancellations are about; undefined where clients cannot be told apart, so that none may cancel. */
  readonly place: string | undefined;
  readonly instructions: string | undefined;
}

/** What was sent, as far as it matters before the SDK reads it. */
export interface Message {
  /** Undefined for several messages at once, and for what is none. */
  readonly method: string | undefined;
  readonly params: unknown;
  readonly bytes: number;
}

/** Makes MCP ready to be served. */
export function toMcpService(option: Exclude<McpOption, false>, parts: McpParts): McpService {
  const { ors, oxp, transfers, parse, returnErrors } = parts;
  assertMcp();
  const cancellable = new CancellableCalls();
  warnOfLongNames(parts);
  const common: McpCommon = {
    authenticator: ors?.authenticator ?? oxp?.authenticator,
    traceOf: ors?.traceOf ?? oxp?.traceOf,
    returnErrors,
    handles: new Handles(typeof option === 'object' ? option.key : undefined),
  };
  return {
    ...common,
    transfers,
    parse,
    handler: new LazyHandler(() => makeHandler(parts, cancellable)),
    cancellable,
    episodes: ors && { ...common, host: ors.host, environment: ors.environment, lazy: new LazyEpisodes(ors.host) },
    toolkits: oxp && { ...common, host: oxp.host, names: toolkitNames(oxp.host.tools) },
  };
}

function warnOfLongNames({ ors, oxp, log }: McpParts): void {
  const ofEnvironments =
    ors?.host.manifest.environments.flatMap(({ allTools }) => allTools.map(({ name }) => name)) ?? [];
  const ofToolkits = oxp?.host.tools.map(({ definition }) => definition.name) ?? [];
  for (const name of new Set([...ofEnvironments, ...ofToolkits].filter((each) => each.length > MAX_AGENT_TOOL_NAME)))
    log.warn(
      { tool: name },
      `a tool's name has more than ${MAX_AGENT_TOOL_NAME} characters: some agents cannot call it over MCP`,
    );
}

const KEEP_ALIVE_MS = 10_000;

async function makeHandler({ returnErrors, log }: McpParts, cancellable: CancellableCalls): Promise<McpHttpHandler> {
  const sdk = await loadMcp();
  const explain = (thrown: unknown) => (thrown instanceof TiltyardError ? toDetail(thrown, returnErrors) : undefined);
  const onError = (thrown: unknown) => log.error({ err: toError(thrown) }, 'unexpected error');
  return sdk.createMcpHandler(
    ({ era, authInfo }) => {
      const { face, place, instructions } = (authInfo as AuthInfo & { extra: { served: Served } }).extra.served;
      // A client of the older revisions may lose its connection and is still to be served.
      const follow = (id: string | number, call: RunningCall) => {
        if (place !== undefined) cancellable.add(place, id, call);
      };
      return toFaceServer(sdk, face, { instructions, explain, onError, follow: era === 'legacy' ? follow : undefined });
    },
    {
      // At once, so that nothing between takes a slow tool for a dead server.
      responseMode: 'sse',
      keepAliveMs: KEEP_ALIVE_MS,
      onerror: (error) => log.debug({ err: error }, 'a request over MCP was refused'),
    },
  );
}
