import { toProviderTools } from '../../client/index.ts';
import { isObject, type JsonObject, textOf, type WireBlock } from '../../protocol/index.ts';
import { countIn, imagesOf, NO_TEXT, objectIn, objectsIn, SEE_IMAGE, textIn, toDataUrl } from './reading.ts';
import type { Ending, SentMessage, ToolReply, Wire } from './wire.ts';

/** Chat Completions: OpenAI, vLLM, SGLang, llama.cpp, OpenRouter and many others. */
export const openAIChat: Wire = {
  name: 'openai-chat',
  format: 'openai-chat',
  path: () => '/chat/completions',
  headers: toBearer,
  begin: (prompt) => [toUserMessage(prompt)],
  body({ model, system, messages, tools, maxTokens, isOwnServer, parameters }) {
    return {
      model,
      messages: system === undefined ? [...messages] : [{ role: 'system', content: system }, ...messages],
      // Some servers refuse an empty list.
      ...(tools.length === 0 ? {} : { tools: toProviderTools(tools, 'openai-chat') as unknown as JsonObject[] }),
      ...(maxTokens === undefined ? {} : { [isOwnServer ? 'max_completion_tokens' : 'max_tokens']: maxTokens }),
      ...parameters,
    };
  },
  read(answer) {
    const choice = objectIn(objectsIn(answer.choices)[0], 'choices');
    const message = objectIn(choice.message, 'message');
    const usage = isObject(answer.usage) ? answer.usage : {};
    const [input, output] = [
      isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {},
      isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {},
    ];
    const stop = textIn(choice.finish_reason);
    return {
      messages: [message],
      text: textIn(message.content),
      calls: objectsIn(message.tool_calls),
      ending: textIn(message.refusal) === '' ? (ENDINGS.get(stop) ?? 'whole') : 'refused',
      stop,
      usage: {
        input: countIn(usage.prompt_tokens),
        output: countIn(usage.completion_tokens),
        cached: countIn(input.cached_tokens),
        reasoning: countIn(output.reasoning_tokens),
      },
    };
  },
  reply(replies) {
    const images = replies.flatMap(({ blocks }) => imagesOf(blocks));
    const answers = replies.map(toToolMessage);
    // A tool's message can hold only text here, and all of them must follow the calls directly.
    return images.length === 0 ? answers : [...answers, toUserMessage(images)];
  },
};

/** A key as most APIs take it. */
export function toBearer(key: string): Record<string, string> {
  return key === '' ? {} : { authorization: `Bearer ${key}` };
}

const ENDINGS: ReadonlyMap<string, Ending> = new Map([
  ['length', 'cut'],
  ['content_filter', 'refused'],
] as const);

function toUserMessage(blocks: readonly WireBlock[]): SentMessage {
  const content = imagesOf(blocks).length === 0 ? textOf(blocks, '\n\n') : blocks.map(toPart);
  return { role: 'user', body: { role: 'user', content } };
}

function toPart(block: WireBlock): JsonObject {
  if (block.type === 'image') return { type: 'image_url', image_url: { url: toDataUrl(block) } };
  return { type: 'text', text: block.text };
}

function toToolMessage({ call, blocks }: ToolReply): SentMessage {
  const text = textOf(blocks) || (imagesOf(blocks).length > 0 ? SEE_IMAGE : NO_TEXT);
  return { role: 'tool', body: { role: 'tool', tool_call_id: call.id ?? '', content: text } };
}
