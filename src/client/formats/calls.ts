import { isObject, type JsonObject } from '../../protocol/index.ts';
import { ToolCallError } from '../errors.ts';

/** A tool call of a model, whatever provider it came from. */
export interface ProviderCall {
  /** What the result must be sent back under; Google gives none to some calls. */
  id: string | undefined;
  name: string;
  input: JsonObject;
}

/** A call of OpenAI's Responses API: an output item of type `function_call`. */
export function fromOpenAICall(call: unknown): ProviderCall {
  const { call_id, name, arguments: input } = toCall(call, 'function_call');
  return toProviderCall(call_id, name, input);
}

/** A call of Chat Completions: an item of `tool_calls`. */
export function fromChatCall(call: unknown): ProviderCall {
  const { id, function: called } = toCall(call, 'function');
  const { name, arguments: input } = toCall(called);
  return toProviderCall(id, name, input);
}

/** A call of Anthropic's Messages API: a content block of type `tool_use`. */
export function fromAnthropicCall(call: unknown): ProviderCall {
  const { id, name, input } = toCall(call, 'tool_use');
  return toProviderCall(id, name, input);
}

/** A call of Google: a part with a `functionCall`, or that alone. */
export function fromGoogleCall(call: unknown): ProviderCall {
  const part = toCall(call);
  const { id, name, args } = isObject(part.functionCall) ? part.functionCall : part;
  return toProviderCall(id, name, args);
}

function toCall(call: unknown, type?: string): Record<string, unknown> {
  if (!isObject(call)) throw badShape(`a tool call must be an object, not ${tell(call)}`);
  if (type !== undefined && call.type !== undefined && call.type !== type) {
    throw badShape(`a tool call must be of type '${type}', not ${tell(call.type)}`);
  }
  return call;
}

function toProviderCall(id: unknown, name: unknown, input: unknown): ProviderCall {
  if (typeof name !== 'string' || name === '') throw badShape('the tool call does not name a tool');
  return { id: typeof id === 'string' ? id : undefined, name, input: toInput(name, input) };
}

function toInput(name: string, input: unknown): JsonObject {
  // Models that call a tool without parameters often write nothing at all.
  if (input === undefined || input === null || (typeof input === 'string' && input.trim() === '')) return {};
  const value = typeof input === 'string' ? parse(name, input) : input;
  if (!isObject(value)) throw badShape(`the arguments of '${name}' must be a JSON object, not ${tell(value)}`);
  return value as JsonObject;
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw badShape(`the arguments of '${name}' are not valid JSON: ${why}`, { cause });
  }
}

function badShape(message: string, options: ErrorOptions = {}): ToolCallError {
  return new ToolCallError(message, 'bad_input_shape', options);
}

// Short, because the model wrote it and reads it again.
function tell(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
