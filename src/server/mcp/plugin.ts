import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toError } from '../../core/index.ts';
import { isObject } from '../../protocol/index.ts';
import { identityOf } from '../auth/identify.ts';
import { bytesOfCall } from '../http/bodies.ts';
import { toErrorAnswer } from '../http/errors.ts';
import { refuseOtherMethods } from '../http/methods.ts';
import { readBodiesAsText } from '../http/read-body.ts';
import type { WebOptions } from '../http/web-guard.ts';
import { BARE_ADDRESS, HOW_TO_SEND, registerBareAddress, whereElse } from './addresses.ts';
import { callerOf } from './callers.ts';
import { toAgentEpisode, toOwnEpisode } from './episodes.ts';
import { guardOrigins } from './origin-guard.ts';
import type { McpService, Message, Served } from './service.ts';
import { toToolkits } from './toolkits.ts';
import { leavingOf, sendWebResponse, toWebRequest } from './web-exchange.ts';

/** The routes of MCP. */
const MCP_ROUTES = { agent: '/mcp/sessions/:handle', own: '/mcp/:env', toolkits: '/mcp/tools' } as const;

/** Finds out what a request is about. */
type Find = (request: FastifyRequest, message: Message) => Promise<Served>;

/** Registers the routes of MCP, with what every request of them passes first. */
export function serveMcp(app: FastifyInstance, service: McpService, web: WebOptions): void {
  const { transfers, episodes, toolkits, authenticator } = service;
  readBodiesAsText(app, { transfers });
  app.setErrorHandler((error: Error, request, reply) => {
    const { status, headers, body } = toErrorAnswer(error, service.returnErrors, request);
    request.tiltyardCode = body.code;
    const advice = request.routeOptions.url?.endsWith(BARE_ADDRESS) ? whereElse(service) : HOW_TO_SEND;
    const detail = status === 405 ? `${body.detail}. ${advice}` : body.detail;
    reply
      .code(status)
      .headers(headers)
      .send(rpcError(-32_000, detail, body.code));
  });
  // Where there is no auth, the server has done so already.
  if (authenticator !== undefined) guardOrigins(app, web);
  app.decorateRequest('tiltyardIdentity', null);
  // Before the server waits for its connections: calls may end first.
  app.addHook('preClose', async () => {
    await Promise.all([episodes?.host.drain(), toolkits?.host.drain()]);
    await service.handler.close();
  });
  const post = (route: string, find: Find) =>
    app.post(route, (request, reply) => answer(service, request, reply, find));
  refuseOtherMethods(app, () => {
    registerBareAddress(app, service);
    if (toolkits !== undefined) post(MCP_ROUTES.toolkits, (...asked) => toToolkits(toolkits, ...asked));
    if (episodes === undefined) return;
    post(MCP_ROUTES.agent, (...asked) => toAgentEpisode(episodes, ...asked));
    post(MCP_ROUTES.own, (...asked) => toOwnEpisode(episodes, ...asked));
  });
  app.addHook('onRequest', async (request) => {
    // An address of an episode says by itself whose it is.
    if (request.routeOptions.url !== MCP_ROUTES.agent)
      request.tiltyardIdentity = await callerOf(authenticator, request.headers);
  });
}

async function answer(service: McpService, request: FastifyRequest, reply: FastifyReply, find: Find): Promise<void> {
  const text = typeof request.body === 'string' ? request.body : '';
  const leaving = leavingOf(reply);
  let parsed: unknown;
  try {
    parsed = service.parse(request);
  } catch (thrown) {
    const { status, body } = toErrorAnswer(toError(thrown), service.returnErrors, request);
    request.tiltyardCode = body.code;
    return void reply.code(status).send(rpcError(-32_700, body.detail, body.code));
  }
  const { method, params } = isObject(parsed) ? parsed : {};
  const message = { method: typeof method === 'string' ? method : undefined, params, bytes: bytesOfCall(text) };
  const served = await find(request, message);
  if (method === 'notifications/cancelled') cancel(service, served, params);
  const response = await service.handler.fetch(toWebRequest(request, leaving), {
    parsedBody: parsed,
    authInfo: { token: '', clientId: '', scopes: [], extra: { served } },
  });
  await sendWebResponse(reply, response, service.transfers.begin(reply.raw, identityOf(request).id));
}

function cancel({ cancellable }: McpService, { place }: Served, params: unknown): void {
  if (place !== undefined && isObject(params)) cancellable.cancel(place, params.requestId);
}

function rpcError(code: number, message: string, name: string | undefined): object {
  return {
    jsonrpc: '2.0',
    error: { code, message, ...(name === undefined ? {} : { data: { code: name } }) },
    id: null,
  };
}
