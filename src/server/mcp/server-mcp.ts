import type { FastifyInstance } from 'fastify';
import type { WebOptions } from '../http/web-guard.ts';
import type { OrsService } from '../ors/service.ts';
import { registerHandles } from './handle-route.ts';
import type { McpOption } from './option.ts';
import { serveMcp } from './plugin.ts';
import { type McpParts, toMcpService } from './service.ts';

/** MCP in a server: routes of its own, and one beside those of ORS. */
export interface ServerMcp {
  serve(app: FastifyInstance, web: WebOptions): void;
  serveHandles(app: FastifyInstance, ors: OrsService): void;
}

/** Makes MCP ready, for what a server has. */
export function startMcp(option: Exclude<McpOption, false>, parts: McpParts): ServerMcp {
  const service = toMcpService(option, parts);
  return {
    serve: (app, web) => serveMcp(app, service, web),
    serveHandles: (app, ors) => registerHandles(app, ors, service.handles, ors.docs.mcp),
  };
}
