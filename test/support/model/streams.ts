import type { FakeWire } from './script.ts';

/** One event of a stream. */
interface StreamEvent {
  readonly event?: string;
  readonly data: object | '[DONE]';
}

/** Whether a request wants its answer as a stream: coding agents do. */
export function wantsStream(path: string, body: any): boolean {
  return path.includes(':streamGenerateContent') || body.stream === true;
}

/** An answer as the events in which each API streams it. */
export function toStream(wire: FakeWire, whole: any): string {
  return STREAMS[wire](whole)
    .map(({ event, data }) => {
      const text = typeof data === 'string' ? data : JSON.stringify(data);
      return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
    })
    .join('');
}

const STREAMS: Readonly<Record<FakeWire, (whole: any) => StreamEvent[]>> = {
  'openai-chat': ({ id, choices: [{ message, finish_reason }], usage }) => {
    const chunk = { id, object: 'chat.completion.chunk', created: 1, model: 'fake' };
    const tool_calls = message.tool_calls?.map((call: object, index: number) => ({ index, ...call }));
    const delta = { ...message, ...(tool_calls === undefined ? {} : { tool_calls }) };
    const total_tokens = usage.prompt_tokens + usage.completion_tokens;
    return [
      { data: { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] } },
      { data: { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] } },
      { data: { ...chunk, choices: [], usage: { ...usage, total_tokens } } },
      { data: '[DONE]' },
    ];
  },
  'openai-responses': (response) => [
    named({ type: 'response.created', response: { ...response, status: 'in_progress', output: [] } }),
    ...response.output.flatMap((item: object, output_index: number) => [
      named({ type: 'response.output_item.added', output_index, item }),
      named({ type: 'response.output_item.done', output_index, item }),
    ]),
    named({ type: 'response.completed', response }),
  ],
  anthropic: ({ content, stop_reason, usage, ...message }) => [
    named({ type: 'message_start', message: { ...message, model: 'fake', content: [], stop_reason: null, usage } }),
    ...content.flatMap(toAnthropicBlock),
    named({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage }),
    named({ type: 'message_stop' }),
  ],
  google: (whole) => [{ data: whole }],
};

function named(data: { readonly type: string; readonly [key: string]: unknown }): StreamEvent {
  return { event: data.type, data };
}

function toAnthropicBlock(block: any, index: number): StreamEvent[] {
  const [empty, ...deltas] = {
    text: () => [
      { type: 'text', text: '' },
      { type: 'text_delta', text: block.text },
    ],
    thinking: () => [
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: block.thinking },
      { type: 'signature_delta', signature: block.signature },
    ],
    tool_use: () => [
      { ...block, input: {} },
      { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
    ],
  }[block.type as 'text' | 'thinking' | 'tool_use']();
  return [
    named({ type: 'content_block_start', index, content_block: empty }),
    ...deltas.map((delta) => named({ type: 'content_block_delta', index, delta })),
    named({ type: 'content_block_stop', index }),
  ];
}
