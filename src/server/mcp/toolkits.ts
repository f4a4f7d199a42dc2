import type { FastifyRequest } from 'fastify';
import { isNobody } from '../../sessions/index.ts';
import { identityOf } from '../auth/identify.ts';
import { badRequest } from '../http/bodies.ts';
import { readContextHeaders } from './context-headers.ts';
import type { McpToolkits, Message, Served } from './service.ts';
import { ToolkitFace } from './toolkit-face.ts';
import { traceOfMessage } from './trace.ts';

/** The tools of toolkits that a caller may use. */
export async function toToolkits(service: McpToolkits, request: FastifyRequest, message: Message): Promise<Served> {
  const { id: identity, scopes } = identityOf(request);
  const { versions = 'newest' } = request.query as { versions?: unknown };
  if (versions !== 'newest' && versions !== 'all') throw badRequest("'versions' must be 'all', or be left out");
  const { host, names, returnErrors } = service;
  const known = { bytes: message.bytes, trace: traceOfMessage(service, request, message) };
  const caller = { identity, scopes, ...known, context: readContextHeaders(request.headers) };
  const face = new ToolkitFace({ host, names, versions, caller, returnErrors });
  // Without identities, a client could cancel the calls of others, which have the same ids.
  return { face, place: isNobody(identity) ? undefined : `toolkits\n${identity}`, instructions: undefined };
}
