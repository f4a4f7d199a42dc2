import type { FakeAnswer, FakeWire } from './script.ts';

const USAGE = { input: 10, output: 5 };

/** How each API writes an answer. */
export const ANSWERS: Readonly<Record<FakeWire, (answer: FakeAnswer) => object>> = {
  'openai-chat': ({ text = null, calls = [], ending, usage = USAGE }) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text,
          ...(ending === 'refusal' ? { refusal: 'I will not.' } : {}),
          ...(calls.length === 0
            ? {}
            : {
                tool_calls: calls.map(({ name, input, raw, id }, index) => ({
                  id: id ?? `call_${index}`,
                  type: 'function',
                  function: { name, arguments: raw ?? JSON.stringify(input ?? {}) },
                })),
              }),
        },
        finish_reason: ending === 'length' ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop',
      },
    ],
    usage: { prompt_tokens: usage.input, completion_tokens: usage.output },
  }),
  'openai-responses': ({ text, calls = [], ending, usage = USAGE }) => ({
    id: 'resp_1',
    object: 'response',
    status: ending === 'length' ? 'incomplete' : 'completed',
    incomplete_details: ending === 'length' ? { reason: 'max_output_tokens' } : null,
    output: [
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'signature-of-reasoning' },
      ...(text === undefined && ending !== 'refusal'
        ? []
        : [
            {
              type: 'message',
              role: 'assistant',
              content: [ending === 'refusal' ? { type: 'refusal', refusal: 'No.' } : { type: 'output_text', text }],
            },
          ]),
      ...calls.map(({ name, input, raw, namespace, id }, index) => ({
        type: 'function_call',
        id: `fc_${id ?? index}`,
        call_id: id ?? `call_${index}`,
        name,
        ...(namespace === undefined ? {} : { namespace }),
        arguments: raw ?? JSON.stringify(input ?? {}),
      })),
    ],
    usage: {
      input_tokens: usage.input,
      output_tokens: usage.output,
      total_tokens: usage.input + usage.output,
    },
  }),
  anthropic: ({ text, calls = [], ending, usage = USAGE }) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 'signature-of-reasoning' },
      ...(text === undefined ? [] : [{ type: 'text', text }]),
      ...calls.map(({ name, input, raw, id }, index) => ({
        type: 'tool_use',
        id: id ?? `toolu_${index}`,
        name,
        // This API has no text to parse: what makes no sense is something other than an object.
        input: raw ?? input ?? {},
      })),
    ],
    stop_reason:
      ending === 'length'
        ? 'max_tokens'
        : ending === 'refusal'
          ? 'refusal'
          : calls.length > 0
            ? 'tool_use'
            : 'end_turn',
    usage: { input_tokens: usage.input, output_tokens: usage.output },
  }),
  google: ({ text, calls = [], ending, usage = USAGE }) => ({
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            ...(text === undefined ? [] : [{ text }]),
            ...calls.map(({ name, input, raw, id }, index) => ({
              functionCall: { id: id ?? `call_${index}`, name, args: raw ?? input ?? {} },
              thoughtSignature: 'signature-of-reasoning',
            })),
          ],
        },
        finishReason: ending === 'length' ? 'MAX_TOKENS' : ending === 'refusal' ? 'SAFETY' : 'STOP',
      },
    ],
    usageMetadata: { promptTokenCount: usage.input, candidatesTokenCount: usage.output },
  }),
};

/** How each API says that the conversation is longer than the model can read. */
export const OVERFLOWS: Readonly<Record<FakeWire, object>> = {
  'openai-chat': {
    error: { message: "This model's maximum context length is 100 tokens.", code: 'context_length_exceeded' },
  },
  'openai-responses': {
    error: { message: 'Your input exceeds the context window of this model.', code: 'context_length_exceeded' },
  },
  anthropic: {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'prompt is too long: 101 tokens > 100' },
  },
  google: { error: { code: 400, status: 'INVALID_ARGUMENT', message: 'The input token count exceeds the maximum.' } },
};

/** Which API a path belongs to. */
export function wireOf(path: string): FakeWire | undefined {
  const [plain = ''] = path.split('?');
  if (plain.endsWith('/chat/completions')) return 'openai-chat';
  if (plain.endsWith('/responses')) return 'openai-responses';
  if (plain.endsWith('/messages')) return 'anthropic';
  return /:(?:streamG|g)enerateContent$/.test(plain) ? 'google' : undefined;
}

/** How many answers of the model a conversation has. */
export function turnsIn(wire: FakeWire, body: any): number {
  switch (wire) {
    case 'openai-responses':
      return body.input.filter(({ type }: { type?: string }) => type === 'reasoning').length;
    case 'google':
      return body.contents.filter(({ role }: { role: string }) => role === 'model').length;
    default:
      return body.messages.filter(({ role }: { role: string }) => role === 'assistant').length;
  }
}
