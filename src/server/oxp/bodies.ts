import { describe, MAX_SECRET_CHARACTERS, MAX_SECRETS } from '../../core/index.ts';
import {
  type CallToolRequest,
  isObject,
  isSupportedSchema,
  type JsonObject,
  type WireCallContext,
} from '../../protocol/index.ts';
import { OxpError } from './errors.ts';

const REQUEST_KEYS = new Set(['call_id', 'trace_id', 'tool_id', 'input', 'context']);

/** The request of a body, checked in all but its input and the meaning of its tool id. */
export function readCallRequest(body: JsonObject): CallToolRequest {
  assertSchema(body);
  const { request } = body;
  if (!isObject(request)) throw badRequest(`'request' must be an object, not ${describe(request)}`);
  const unknown = Object.keys(request).find((key) => !REQUEST_KEYS.has(key));
  if (unknown !== undefined) throw badRequest(`'request' has an unknown key '${unknown.slice(0, 100)}'`);
  for (const key of ['call_id', 'trace_id'] as const) {
    const value = request[key];
    if (value !== undefined && (typeof value !== 'string' || value === '' || value.length > 256)) {
      throw badRequest(`'${key}' must be a string of 1 to 256 characters, not ${describe(value)}`);
    }
  }
  if (typeof request.tool_id !== 'string')
    throw badRequest(`'tool_id' must be a string, not ${describe(request.tool_id)}`);
  if (request.context !== undefined) assertContext(request.context);
  return request as unknown as CallToolRequest;
}

function assertSchema({ $schema }: JsonObject): void {
  if (isSupportedSchema($schema)) return;
  throw new OxpError('This version of OXP is not supported', {
    developerMessage: `$schema is ${describe($schema)}; this server speaks urn:oxp:1.0`,
  });
}

// Values stay out of these messages: they are secrets, or should have been.
function assertContext(context: unknown): asserts context is WireCallContext {
  if (!isObject(context)) throw badRequest("'context' must be an object");
  const { authorization, secrets, user_id: userId } = context;
  assertEntries(authorization, 'authorization', 'token');
  assertEntries(secrets, 'secrets', 'value');
  if (userId !== undefined && typeof userId !== 'string') throw badRequest(`'context.user_id' must be a string`);
}

function assertEntries(entries: unknown, key: string, field: string): void {
  if (entries === undefined) return;
  const right = (entry: unknown) => isObject(entry) && typeof entry.id === 'string' && typeof entry[field] === 'string';
  if (!Array.isArray(entries) || !entries.every(right)) {
    throw badRequest(`'context.${key}' must be an array of objects with strings 'id' and '${field}'`);
  }
  if (entries.length > MAX_SECRETS)
    throw badRequest(`'context.${key}' must have at most ${MAX_SECRETS} entries, not ${entries.length}`);
  if (entries.some((entry) => entry[field].length > MAX_SECRET_CHARACTERS))
    throw badRequest(`each '${field}' in 'context.${key}' must have at most ${MAX_SECRET_CHARACTERS} characters`);
}

function badRequest(developerMessage: string): OxpError {
  return new OxpError('The request is not valid', { developerMessage });
}
