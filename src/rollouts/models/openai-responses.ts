import { toProviderTools } from '../../client/index.ts';
import { isObject, type JsonObject, textOf, type WireBlock } from '../../protocol/index.ts';
import { toBearer } from './openai-chat.ts';
import { countIn, imagesOf, NO_TEXT, OddModelAnswer, objectsIn, textIn, toDataUrl } from './reading.ts';
import type { Ending, ToolReply, Wire } from './wire.ts';

/** OpenAI's Responses API, and servers that speak it. */
export const openAIResponses: Wire = {
  name: 'openai-responses',
  format: 'openai',
  path: () => '/responses',
  headers: toBearer,
  begin: (prompt) => [{ role: 'user', body: { role: 'user', content: prompt.map(toPart) } }],
  body({ model, system, messages, tools, maxTokens, parameters }) {
    return {
      model,
      input: [...messages],
      ...(system === undefined ? {} : { instructions: system }),
      ...(tools.length === 0 ? {} : { tools: toProviderTools(tools, 'openai') as unknown as JsonObject[] }),
      ...(maxTokens === undefined ? {} : { max_output_tokens: maxTokens }),
      ...parameters,
    };
  },
  read(answer) {
    if (!Array.isArray(answer.output)) throw new OddModelAnswer('the answer has no output');
    const messages = objectsIn(answer.output);
    const parts = messages.filter(({ type }) => type === 'message').flatMap(({ content }) => objectsIn(content));
    const usage = isObject(answer.usage) ? answer.usage : {};
    const input = isObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
    const output = isObject(usage.output_tokens_details) ? usage.output_tokens_details : {};
    const why = isObject(answer.incomplete_details) ? textIn(answer.incomplete_details.reason) : '';
    const isRefused = parts.some(({ type }) => type === 'refusal');
    return {
      messages,
      text: parts.map(({ text }) => textIn(text)).join(''),
      calls: messages.filter(({ type }) => type === 'function_call'),
      ending: isRefused ? 'refused' : (ENDINGS.get(why) ?? 'whole'),
      stop: why || textIn(answer.status),
      usage: {
        input: countIn(usage.input_tokens),
        output: countIn(usage.output_tokens),
        cached: countIn(input.cached_tokens),
        reasoning: countIn(output.reasoning_tokens),
      },
    };
  },
  reply: (replies) => replies.map((reply) => ({ role: 'tool', body: toOutput(reply) })),
};

const ENDINGS: ReadonlyMap<string, Ending> = new Map([
  ['max_output_tokens', 'cut'],
  ['content_filter', 'refused'],
] as const);

function toPart(block: WireBlock): JsonObject {
  if (block.type === 'image') return { type: 'input_image', image_url: toDataUrl(block) };
  return { type: 'input_text', text: block.text };
}

function toOutput({ call, blocks }: ToolReply): JsonObject {
  const output = imagesOf(blocks).length === 0 ? textOf(blocks) || NO_TEXT : blocks.map(toPart);
  return { type: 'function_call_output', call_id: call.id ?? '', output };
}
