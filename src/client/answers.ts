import { isObject, type JsonObject, type Split, type ToolSpec, type WireBlock } from '../protocol/index.ts';
import { listOf, one, type Reader, under } from './reading.ts';

/** The answer to GET /list_environments. */
export const readNames: Reader<string[]> = listOf('name', toName);

/** The answer to GET /{env}/splits. */
export const readSplits: Reader<Split[]> = listOf('split', toSplit);

/** The answer to POST /{env}/tasks and /{env}/task_range. */
export const readTasks: Reader<JsonObject[]> = under('tasks', listOf('task', toObject));

/** The answer to POST /{env}/task. */
export const readTask: Reader<JsonObject> = under('task', one('task', toObject));

/** The answer to POST /{env}/num_tasks. */
export const readCount: Reader<number> = under('num_tasks', one('number of tasks', toCount));

/** The answer to GET /{env}/tools and /{env}/task_tools. */
export const readTools: Reader<ToolSpec[]> = under('tools', listOf('tool', toToolSpec));

/** The answer to GET /v1/environments/{owner}/{env}/required-secrets. */
export const readSecretNames: Reader<string[]> = under('secrets', listOf('name', toName));

/** The answer to GET /{env}/prompt. */
export const readPrompt: Reader<WireBlock[]> = listOf('block', toBlock);

/** A block; kinds that are not known here are for the caller to know. */
export function toBlock(sent: unknown): WireBlock | undefined {
  if (!isObject(sent)) return undefined;
  const { type, text, data, mimeType } = sent;
  if (type === 'text' && !isText(text)) return undefined;
  if (type === 'image' && !(isText(data) && isText(mimeType))) return undefined;
  return sent as unknown as WireBlock;
}

// Names become parts of paths, which half a character cannot be.
function toName(sent: unknown): string | undefined {
  return isText(sent) && !/\p{Surrogate}/u.test(sent) ? sent : undefined;
}

function toSplit(sent: unknown): Split | undefined {
  return isObject(sent) && isText(sent.name) && isText(sent.type) ? (sent as unknown as Split) : undefined;
}

function toObject(sent: unknown): JsonObject | undefined {
  return isObject(sent) ? (sent as JsonObject) : undefined;
}

function toCount(sent: unknown): number | undefined {
  return Number.isSafeInteger(sent) && (sent as number) >= 0 ? (sent as number) : undefined;
}

// Servers of another make leave out what they have not.
function toToolSpec(sent: unknown): ToolSpec | undefined {
  if (!isObject(sent)) return undefined;
  const tool = { ...sent, description: sent.description ?? '', input_schema: sent.input_schema ?? null };
  const { name, description, input_schema: schema } = tool as Record<string, unknown>;
  const isReadable =
    isText(name) && isText(description) && (schema === null || isObject(schema)) && isWithin(DEEPEST, schema);
  return isReadable ? (tool as unknown as ToolSpec) : undefined;
}

// A schema is walked through to its leaves; none that anybody wrote is as deep as this.
const DEEPEST = 200;

function isWithin(levels: number, sent: unknown): boolean {
  if (typeof sent !== 'object' || sent === null) return true;
  return levels > 0 && Object.values(sent).every((each) => isWithin(levels - 1, each));
}

function isText(sent: unknown): sent is string {
  return typeof sent === 'string';
}
