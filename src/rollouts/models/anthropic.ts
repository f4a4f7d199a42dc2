import { toProviderTools } from '../../client/index.ts';
import { isObject, type JsonObject, type WireBlock } from '../../protocol/index.ts';
import { countIn, NO_TEXT, OddModelAnswer, objectsIn, textIn } from './reading.ts';
import type { Ending, ToolReply, Wire } from './wire.ts';

// The API insists on a limit; this is one that every model takes.
const DEFAULT_MAX_TOKENS = 8_192;

/** Anthropic's Messages API. */
export const anthropic: Wire = {
  name: 'anthropic',
  format: 'anthropic',
  path: () => '/messages',
  headers: (key) => ({ 'anthropic-version': '2023-06-01', ...(key === '' ? {} : { 'x-api-key': key }) }),
  begin: (prompt) => [{ role: 'user', body: { role: 'user', content: prompt.map(toBlock) } }],
  body({ model, system, messages, tools, maxTokens = DEFAULT_MAX_TOKENS, parameters }) {
    return {
      model,
      max_tokens: maxTokens,
      messages: [...messages],
      ...(system === undefined ? {} : { system }),
      ...(tools.length === 0 ? {} : { tools: toProviderTools(tools, 'anthropic') as unknown as JsonObject[] }),
      ...parameters,
    };
  },
  read(answer) {
    if (!Array.isArray(answer.content)) throw new OddModelAnswer('the answer has no content');
    const content = objectsIn(answer.content);
    const usage = isObject(answer.usage) ? answer.usage : {};
    const cached = countIn(usage.cache_read_input_tokens);
    const stop = textIn(answer.stop_reason);
    return {
      messages: [{ role: 'assistant', content }],
      text: content.map(({ text }) => textIn(text)).join(''),
      calls: content.filter(({ type }) => type === 'tool_use'),
      ending: ENDINGS.get(stop) ?? 'whole',
      stop,
      usage: {
        // What was written to the cache or read from it is not part of the first count.
        input: countIn(usage.input_tokens) + countIn(usage.cache_creation_input_tokens) + cached,
        output: countIn(usage.output_tokens),
        cached,
      },
    };
  },
  // All results in one message: the API wants each call of a turn answered in the next.
  reply: (replies) => [{ role: 'tool', body: { role: 'user', content: replies.map(toResult) } }],
};

const ENDINGS: ReadonlyMap<string, Ending> = new Map([
  ['max_tokens', 'cut'],
  ['refusal', 'refused'],
  ['model_context_window_exceeded', 'context'],
] as const);

function toBlock(block: WireBlock): JsonObject {
  if (block.type === 'text') return { type: 'text', text: block.text || NO_TEXT };
  return { type: 'image', source: { type: 'base64', media_type: block.mimeType, data: block.data } };
}

function toResult({ call, blocks, isError }: ToolReply): JsonObject {
  const content = blocks.length === 0 ? NO_TEXT : blocks.map(toBlock);
  return { type: 'tool_result', tool_use_id: call.id ?? '', content, ...(isError ? { is_error: true } : {}) };
}
