import { toBase64 } from './base64.ts';
import type { JsonObject } from './json.ts';

/** Text on the wire: every key is always present, because clients read them without asking. */
export interface WireTextBlock {
  text: string;
  detail: JsonObject | null;
  type: 'text';
}

/** An image on the wire, base64 in `data`. */
export interface WireImageBlock {
  data: string;
  mimeType: string;
  detail: JsonObject | null;
  type: 'image';
}

/** One piece of a prompt or of a tool's output. */
export type WireBlock = WireTextBlock | WireImageBlock;

/** The text of all text blocks; an image counts as an empty one. */
export function textOf(blocks: readonly WireBlock[], separator = ''): string {
  return blocks.map((block) => (block.type === 'text' ? block.text : '')).join(separator);
}

/** A tool as agents see it; official clients refuse any further key. */
export interface ToolSpec {
  name: string;
  description: string;
  input_schema: JsonObject | null;
}

/** What one call gave, all four keys always present. */
export interface ToolOutput {
  blocks: WireBlock[];
  metadata: JsonObject | null;
  reward: number | null;
  finished: boolean;
}

/** What one call gave, as it is read. */
export type GivenOutput = Readonly<Omit<ToolOutput, 'blocks'>> & { readonly blocks: readonly WireBlock[] };

/** Why a call was not run, as clients tell failures apart. */
export type FailureReason = 'not_found' | 'input_validation' | 'episode_finished' | 'timeout' | 'tool_error';

/** The envelope of a call: `ok` says which half it is. */
export type RunToolResult = { ok: true; output: ToolOutput } | { ok: false; error: string; reason?: FailureReason };

/** What a split is for. */
export type SplitType = 'train' | 'validation' | 'test';

/** A named list of tasks. */
export interface Split {
  name: string;
  type: SplitType;
}

/** The header that names a session. */
export const SESSION_HEADER = 'x-session-id';

/** The header that carries secrets as base64 JSON, for clients that do not put them into the body. */
export const SECRETS_HEADER = 'x-secrets';

/** The value of that header. */
export function toSecretsHeader(secrets: Readonly<Record<string, string>>): string {
  const named = Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name, { value }]));
  // UTF-8 first, so that any secret can travel.
  return toBase64(new TextEncoder().encode(JSON.stringify(named)));
}

/** The header in which clients of the hosted platform name the environment, as `owner/name`. */
export const DEPLOYMENT_HEADER = 'x-deployment';

/** The response header of /create that announces what this server can do beyond the standard. */
export const FEATURES_HEADER = 'ors-features';

/** Announced in FEATURES_HEADER: a client may choose the task_id of a call, and a repeat of it never runs twice. */
export const CLIENT_TASK_ID = 'client-task-id';

/** Announced in FEATURES_HEADER: a client may choose the id of a session that it creates. Such an id is not asked for, and not given back. */
export const CLIENT_SESSION_ID = 'client-session-id';

/** The text of the `error` event for an id of a call that the server does not know, or whose result it no longer keeps. */
export const UNKNOWN_TASK_ID = 'unknown task_id';

/** First path segments that belong to the server, so no environment may have such a name. */
export const ROOT_PATHS: readonly string[] = [
  'health',
  'list_environments',
  'create_session',
  'create',
  'ping',
  'delete',
  'delete_session',
  'version',
  'metrics',
  'openapi.json',
  'mcp',
  '.well-known',
];

/** Actions on an environment: the second path segment, or the first one of a bare path. */
export const ENVIRONMENT_ACTIONS: readonly string[] = [
  'tools',
  'splits',
  'tasks',
  'num_tasks',
  'task',
  'task_range',
  'task_tools',
  'prompt',
  'call',
];

/** Names of two actions in older documentation, served as aliases. */
export const ACTION_ALIASES: Readonly<Record<string, string>> = { get_task: 'task', get_task_range: 'task_range' };

/** The form of ids the server makes; an unknown id of this form was never a client's own choice. */
export const SERVER_TASK_ID: RegExp = /^[0-9a-f]{32}$/;
