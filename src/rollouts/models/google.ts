import { toProviderTools } from '../../client/index.ts';
import { isObject, type JsonObject, textOf, type WireBlock } from '../../protocol/index.ts';
import { countIn, imagesOf, OddModelAnswer, objectsIn, textIn } from './reading.ts';
import type { Ending, ToolReply, Wire } from './wire.ts';

/** Google's Gemini API. */
export const google: Wire = {
  name: 'google',
  format: 'google',
  path: (model) => `/models/${encodeURIComponent(model)}:generateContent`,
  headers: (key) => (key === '' ? {} : { 'x-goog-api-key': key }),
  begin: (prompt) => [{ role: 'user', body: { role: 'user', parts: prompt.map(toPart) } }],
  body({ system, messages, tools, maxTokens, parameters: { generationConfig, ...parameters } }) {
    const declarations = toProviderTools(tools, 'google') as unknown as JsonObject[];
    const limit = maxTokens === undefined ? {} : { maxOutputTokens: maxTokens };
    const config: JsonObject = { ...limit, ...(isObject(generationConfig) ? (generationConfig as JsonObject) : {}) };
    return {
      contents: [...messages],
      ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
      ...(tools.length === 0 ? {} : { tools: [{ functionDeclarations: declarations }] }),
      ...(Object.keys(config).length === 0 ? {} : { generationConfig: config }),
      ...parameters,
    };
  },
  read(answer) {
    const [candidate] = objectsIn(answer.candidates);
    const feedback = isObject(answer.promptFeedback) ? textIn(answer.promptFeedback.blockReason) : '';
    if (candidate === undefined && feedback === '') throw new OddModelAnswer('the answer has no candidates');
    const content = isObject(candidate?.content) ? (candidate.content as JsonObject) : undefined;
    const parts = objectsIn(content?.parts);
    const usage = isObject(answer.usageMetadata) ? answer.usageMetadata : {};
    const stop = feedback || textIn(candidate?.finishReason);
    const reasoning = countIn(usage.thoughtsTokenCount);
    return {
      messages: content === undefined ? [] : [{ role: 'model', ...content }],
      text: parts.map(({ text, thought }) => (thought === true ? '' : textIn(text))).join(''),
      calls: parts.filter(({ functionCall }) => functionCall !== undefined),
      ending: feedback === '' ? (ENDINGS.get(stop) ?? 'whole') : 'refused',
      stop,
      usage: {
        input: countIn(usage.promptTokenCount),
        output: countIn(usage.candidatesTokenCount) + reasoning,
        cached: countIn(usage.cachedContentTokenCount),
        reasoning,
      },
    };
  },
  reply: (replies) => [{ role: 'tool', body: { role: 'user', parts: replies.map(toResponse) } }],
};

const ENDINGS: ReadonlyMap<string, Ending> = new Map([
  ['MAX_TOKENS', 'cut'],
  ['SAFETY', 'refused'],
  ['RECITATION', 'refused'],
  ['BLOCKLIST', 'refused'],
  ['PROHIBITED_CONTENT', 'refused'],
  ['SPII', 'refused'],
  ['IMAGE_SAFETY', 'refused'],
  ['MALFORMED_FUNCTION_CALL', 'malformed'],
] as const);

function toPart(block: WireBlock): JsonObject {
  if (block.type === 'text') return { text: block.text };
  return { inlineData: { mimeType: block.mimeType, data: block.data } };
}

function toResponse({ call, blocks, isError }: ToolReply): JsonObject {
  const images = imagesOf(blocks);
  return {
    functionResponse: {
      ...(call.id === undefined ? {} : { id: call.id }),
      name: call.name,
      response: { [isError ? 'error' : 'result']: textOf(blocks) },
      ...(images.length === 0 ? {} : { parts: images.map(toPart) }),
    },
  };
}
