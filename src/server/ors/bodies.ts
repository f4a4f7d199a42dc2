import type { FastifyRequest } from 'fastify';
import { describe, MAX_SECRET_CHARACTERS, MAX_SECRETS, TiltyardError } from '../../core/index.ts';
import { excessIn, isObject, type JsonObject } from '../../protocol/index.ts';
import type { CreateRequest, TaskChoice } from '../../sessions/index.ts';
import { badRequest } from '../http/bodies.ts';

/** The `split` of a body. */
export function readSplit(body: JsonObject): string {
  return readString(body, 'split');
}

/** The `index` of a body: an integer; whether it is in range is the split's to say. */
export function readIndex(body: JsonObject): number {
  const { index } = body;
  if (!Number.isInteger(index)) throw badRequest(`'index' must be an integer, not ${describe(index)}`);
  return index as number;
}

/** A bound of a range: an integer, or absent. */
export function readBound(body: JsonObject, key: 'start' | 'stop'): number | undefined {
  const bound = body[key] ?? undefined;
  if (bound !== undefined && !Number.isInteger(bound))
    throw badRequest(`'${key}' must be an integer, not ${describe(bound)}`);
  return bound as number | undefined;
}

/** The body of /create; `headerSecrets` yield to those of the body. */
export function readCreate(body: JsonObject, headerSecrets: Record<string, string>): CreateRequest {
  const { env_name: name, toolset_name: toolset } = body;
  if (toolset !== undefined && toolset !== null) {
    throw new TiltyardError('unknown_toolset', `unknown toolset ${describe(toolset)}: this server has no toolsets`);
  }
  if (name !== undefined && name !== null && typeof name !== 'string')
    throw badRequest(`'env_name' must be a string, not ${describe(name)}`);
  return {
    environment: name ?? undefined,
    choice: readChoice(body),
    secrets: assertFew({ ...headerSecrets, ...readSecrets(body.secrets) }),
  };
}

// Of a body that has no meaning but this, nothing larger needs to be parsed.
const MAX_IGNORED = 1_000;

/** A `task_id` in the body of /create_session, where nothing else matters; undefined if there is none to be read. */
export function readOptionalTaskId(request: FastifyRequest): string | undefined {
  const text = request.body;
  if (typeof text !== 'string' || !text.includes('task_id')) return undefined;
  if (excessIn(text, { containers: MAX_IGNORED }) !== undefined) return undefined;
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) && typeof body.task_id === 'string' ? body.task_id : undefined;
  } catch {
    return undefined; // This route takes any body.
  }
}

function readChoice({ task_spec: task, split, index }: JsonObject): TaskChoice {
  const has = (value: unknown) => value !== undefined && value !== null;
  if (has(task) && (has(split) || has(index)))
    throw badRequest("give either 'task_spec' or 'split' and 'index', not both");
  if (has(task)) {
    if (!isObject(task)) throw badRequest(`'task_spec' must be an object, not ${describe(task)}`);
    return { task: task as JsonObject };
  }
  if (!has(split) && !has(index)) throw badRequest("give a task: either 'task_spec', or 'split' and 'index'");
  if (!has(split) || !has(index))
    throw badRequest(`'split' and 'index' go together: '${has(split) ? 'index' : 'split'}' is missing`);
  const body = { split, index } as JsonObject;
  return { split: readSplit(body), index: readIndex(body) };
}

function readSecrets(secrets: unknown): Record<string, string> {
  if (secrets === undefined || secrets === null) return {};
  if (!isObject(secrets))
    throw badRequest(
      `'secrets' must be an object of strings, not ${Array.isArray(secrets) ? 'an array' : `a ${typeof secrets}`}`,
    );
  for (const [key, value] of Object.entries(secrets)) {
    // The value stays out of the message: it may be a secret of the wrong type.
    if (typeof value !== 'string') throw badRequest(`the secret '${key}' must be a string`);
  }
  return secrets as Record<string, string>;
}

function assertFew(secrets: Record<string, string>): Record<string, string> {
  const entries = Object.entries(secrets);
  if (entries.length > MAX_SECRETS)
    throw badRequest(`a session takes at most ${MAX_SECRETS} secrets, not ${entries.length}`);
  const long = entries.find(([, value]) => value.length > MAX_SECRET_CHARACTERS);
  if (long !== undefined)
    throw badRequest(`the secret ${describe(long[0])} must have at most ${MAX_SECRET_CHARACTERS} characters`);
  return secrets;
}

function readString(body: JsonObject, key: string): string {
  const value = body[key];
  if (typeof value !== 'string') throw badRequest(`'${key}' must be a string, not ${describe(value)}`);
  return value;
}
