import type { JsonValue } from '../../src/protocol/index.ts';

/** A part of a message, in whichever provider's form it came. */
export type MessagePart =
  | { readonly kind: 'text' | 'reasoning' | 'result'; readonly text: string }
  | { readonly kind: 'call'; readonly tool: string; readonly input: JsonValue }
  | { readonly kind: 'image' }
  | { readonly kind: 'other'; readonly value: JsonValue };

type Fields = Readonly<Record<string, JsonValue>>;

/** The parts of a message: OpenAI's chat and responses, Anthropic's and Google's forms. What is not known is kept as it is. */
export function toMessageParts(body: JsonValue): MessagePart[] {
  if (typeof body === 'string') return body === '' ? [] : [{ kind: 'text', text: body }];
  if (Array.isArray(body)) return body.flatMap(toMessageParts);
  if (!isFields(body)) return body === null ? [] : [{ kind: 'other', value: body }];
  return fromPart(body) ?? fromMessage(body) ?? [{ kind: 'other', value: body }];
}

/** A message as a whole: reasoning, content, and calls. */
function fromMessage(body: Fields): MessagePart[] | undefined {
  const content = body.content ?? body.parts ?? body.output;
  const calls = Array.isArray(body.tool_calls) ? body.tool_calls : [];
  if (content === undefined && calls.length === 0 && typeof body.refusal !== 'string') return undefined;
  const thought = [body.reasoning_content, body.reasoning].filter((text) => typeof text === 'string' && text !== '');
  const said = toMessageParts(content ?? null);
  return [
    ...thought.map((text): MessagePart => ({ kind: 'reasoning', text: String(text) })),
    ...(body.role === 'tool'
      ? said.map((part): MessagePart => (part.kind === 'text' ? { ...part, kind: 'result' } : part))
      : said),
    ...(typeof body.refusal === 'string' ? [{ kind: 'text', text: body.refusal } as const] : []),
    ...calls.flatMap(toMessageParts),
  ];
}

/** A part of a message. */
function fromPart(part: Fields): MessagePart[] | undefined {
  const named = part.function ?? part.functionCall;
  if (isFields(named))
    return [{ kind: 'call', tool: String(named.name), input: toInput(named.arguments ?? named.args ?? {}) }];
  if (isFields(part.functionResponse))
    return [{ kind: 'result', text: toText(part.functionResponse.response ?? null) }];
  switch (part.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return [{ kind: 'text', text: toText(part.text ?? '') }];
    case 'thinking':
      return [{ kind: 'reasoning', text: toText(part.thinking ?? '') }];
    case 'redacted_thinking':
      return [{ kind: 'reasoning', text: '(encrypted by the provider)' }];
    case 'reasoning':
      return [{ kind: 'reasoning', text: textsOf(part.summary).join('\n') || '(not shown by the provider)' }];
    case 'tool_use':
      return [{ kind: 'call', tool: String(part.name), input: part.input ?? {} }];
    case 'function_call':
      return [{ kind: 'call', tool: String(part.name), input: toInput(part.arguments ?? {}) }];
    case 'tool_result':
      return [{ kind: 'result', text: textsOf(part.content).join('\n') }];
    case 'function_call_output':
      return [{ kind: 'result', text: textsOf(part.output).join('\n') }];
    case 'image':
    case 'image_url':
    case 'input_image':
      return [{ kind: 'image' }];
  }
  if (part.inlineData !== undefined) return [{ kind: 'image' }];
  if (typeof part.text === 'string') return [{ kind: part.thought === true ? 'reasoning' : 'text', text: part.text }];
  return undefined;
}

function textsOf(value: JsonValue | undefined): string[] {
  if (value === undefined || value === null) return [];
  return toMessageParts(value).map((part) =>
    'text' in part ? part.text : part.kind === 'other' ? toText(part.value) : `(${part.kind})`,
  );
}

/** Arguments of calls come as text; a model may have written text that is no JSON. */
function toInput(value: JsonValue): JsonValue {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as JsonValue;
  } catch {
    return value;
  }
}

function toText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function isFields(value: JsonValue | undefined): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
