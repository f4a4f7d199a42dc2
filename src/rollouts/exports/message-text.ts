import { isObject, type JsonObject, type JsonValue } from '../../protocol/index.ts';

/** What a model said in a message, and what it thought. */
export interface Said {
  readonly text: string;
  readonly reasoning: string;
}

/** The text of a model's message, whatever API it came from. */
export function saidIn(format: string, body: JsonValue): Said {
  const message = isObject(body) ? (body as JsonObject) : {};
  switch (format) {
    case 'anthropic':
      return fromParts(message.content, { text: 'text', reasoning: 'thinking' });
    case 'google':
      return fromGoogle(message.parts);
    case 'openai-responses':
      return message.type === 'reasoning'
        ? { text: '', reasoning: join(message.summary, 'text') }
        : { text: join(message.content, 'text'), reasoning: '' };
    default:
      return {
        text: typeof message.content === 'string' ? message.content : join(message.content, 'text'),
        // Not of OpenAI's own API: vLLM and OpenRouter have names of their own for it.
        reasoning: [message.reasoning_content, message.reasoning].find((each) => typeof each === 'string') ?? '',
      } as Said;
  }
}

function fromParts(parts: unknown, { text, reasoning }: { readonly text: string; readonly reasoning: string }): Said {
  return { text: join(parts, text), reasoning: join(parts, reasoning) };
}

function fromGoogle(parts: unknown): Said {
  const all = Array.isArray(parts) ? parts.filter((part) => isObject(part)) : [];
  const pick = (isThought: boolean) =>
    join(
      all.filter((part) => (part.thought === true) === isThought),
      'text',
    );
  return { text: pick(false), reasoning: pick(true) };
}

function join(parts: unknown, field: string): string {
  if (!Array.isArray(parts)) return '';
  return parts.map((part) => (isObject(part) && typeof part[field] === 'string' ? part[field] : '')).join('');
}
