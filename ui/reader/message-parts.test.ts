import { expect, test } from 'vitest';
import { toMessageParts } from './message-parts.ts';

test('U5: a message of OpenAI chat with reasoning, text and calls', () => {
  const body = {
    role: 'assistant',
    reasoning_content: 'Hm.',
    content: 'I go east.',
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'move', arguments: '{"direction":"east"}' } }],
  };
  expect(toMessageParts(body)).toEqual([
    { kind: 'reasoning', text: 'Hm.' },
    { kind: 'text', text: 'I go east.' },
    { kind: 'call', tool: 'move', input: { direction: 'east' } },
  ]);
  expect(toMessageParts({ role: 'tool', tool_call_id: 'a', content: 'You moved.' })).toEqual([
    { kind: 'result', text: 'You moved.' },
  ]);
});

test('U5: a message of Anthropic', () => {
  const content = [
    { type: 'thinking', thinking: 'Hm.', signature: 'x' },
    { type: 'text', text: 'I look.' },
    { type: 'tool_use', id: 'b', name: 'look', input: {} },
  ];
  expect(toMessageParts({ role: 'assistant', content }).map(({ kind }) => kind)).toEqual(['reasoning', 'text', 'call']);
  const answer = {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: 'A wall.' }] }],
  };
  expect(toMessageParts(answer)).toEqual([{ kind: 'result', text: 'A wall.' }]);
});

test('U5: items of OpenAI responses', () => {
  const items = [
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] },
    { type: 'function_call', name: 'submit', arguments: '{"answer":"72"}', call_id: 'c' },
    { type: 'function_call_output', call_id: 'c', output: 'Correct!' },
  ];
  expect(toMessageParts(items).map(({ kind }) => kind)).toEqual(['reasoning', 'text', 'call', 'result']);
});

test('U5: a message of Google', () => {
  const parts = [
    { text: 'Hm.', thought: true },
    { text: 'I go.' },
    { functionCall: { name: 'move', args: { direction: 'east' } } },
    { functionResponse: { name: 'move', response: { output: 'ok' } } },
  ];
  expect(toMessageParts({ role: 'model', parts }).map(({ kind }) => kind)).toEqual([
    'reasoning',
    'text',
    'call',
    'result',
  ]);
});

test('U5: what nobody knows is kept, and arguments that are no JSON are shown as they are', () => {
  expect(toMessageParts({ strange: true })).toEqual([{ kind: 'other', value: { strange: true } }]);
  expect(toMessageParts({ tool_calls: [{ function: { name: 'f', arguments: '{broken' } }] })).toEqual([
    { kind: 'call', tool: 'f', input: '{broken' },
  ]);
  expect(toMessageParts(null)).toEqual([]);
});
