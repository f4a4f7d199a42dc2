import type { FastifyInstance } from 'fastify';
import { findSid } from '../http/headers.ts';
import type { McpService } from './service.ts';

/** What a client must send to an address of MCP. */
export const HOW_TO_SEND =
  'Send each message with POST, Content-Type: application/json and Accept: application/json, text/event-stream. Revisions 2025-03-26 to 2026-07-28 are served';

export const BARE_ADDRESS = '/mcp';

const MOST_NAMED = 3;

/** Tells clients that ask the bare `/mcp`, as at servers that have one address, which addresses there are. */
export function registerBareAddress(app: FastifyInstance, service: McpService): void {
  app.post(BARE_ADDRESS, async (request, reply) => {
    // Without an environment, this is the request of an orchestrator for the address of its session.
    const only = findSid(request.headers) === undefined ? undefined : onlyEnvironment(service);
    if (only !== undefined) return reply.redirect(`/${encodeURIComponent(only)}/mcp`, 308);
    throw Object.assign(new Error(whereElse(service)), { statusCode: 404 });
  });
}

function onlyEnvironment(service: McpService): string | undefined {
  const [name, ...others] = environmentsOf(service);
  return others.length === 0 ? name : undefined;
}

function environmentsOf({ episodes }: McpService): string[] {
  return episodes?.host.manifest.environments.map(({ name }) => name) ?? [];
}

/** What to say to a client at the bare `/mcp`. */
export function whereElse(service: McpService): string {
  const environments = environmentsOf(service);
  const names = environments.length > MOST_NAMED ? ['<environment>'] : environments;
  const addresses = [
    ...names.map((name) => `/mcp/${name}?episode=<an id of your own>`),
    ...(service.toolkits === undefined ? [] : ['/mcp/tools']),
  ];
  return `there is no MCP server at /mcp itself: use ${addresses.join(' or ')}. ${HOW_TO_SEND}`;
}
