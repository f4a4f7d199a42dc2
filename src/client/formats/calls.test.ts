import { expect, test } from 'vitest';
import { ToolCallError } from '../errors.ts';
import { fromProviderCall, type ProviderFormat } from './index.ts';

const input = { city: 'Bonn' };
const json = JSON.stringify(input);

test.each<[ProviderFormat, unknown, string | undefined]>([
  ['openai', { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'weather', arguments: json }, 'call_1'],
  ['openai-chat', { id: 'call_1', type: 'function', function: { name: 'weather', arguments: json } }, 'call_1'],
  ['openrouter', { id: 'call_1', type: 'function', function: { name: 'weather', arguments: json } }, 'call_1'],
  ['openrouter', { id: 'call_1', index: 0, function: { name: 'weather', arguments: input } }, 'call_1'],
  ['anthropic', { type: 'tool_use', id: 'toolu_1', name: 'weather', input }, 'toolu_1'],
  ['google', { functionCall: { id: 'g1', name: 'weather', args: input }, thoughtSignature: 'x' }, 'g1'],
  ['google', { functionCall: { name: 'weather', args: input } }, undefined],
  ['google', { name: 'weather', args: input }, undefined],
])('%s: %j', (format, call, id) => {
  expect(fromProviderCall(call, format)).toEqual({ id, name: 'weather', input });
});

const toCall: Record<ProviderFormat, (name: unknown, args: unknown) => unknown> = {
  openai: (name, args) => ({ type: 'function_call', call_id: 'c', name, arguments: args }),
  'openai-chat': (name, args) => ({ id: 'c', type: 'function', function: { name, arguments: args } }),
  openrouter: (name, args) => ({ id: 'c', type: 'function', function: { name, arguments: args } }),
  anthropic: (name, args) => ({ type: 'tool_use', id: 'c', name, input: args }),
  google: (name, args) => ({ functionCall: { name, args } }),
};
const formats = Object.keys(toCall) as ProviderFormat[];

test.each(formats)('%s: a call without arguments has an empty input', (format) => {
  for (const nothing of ['', ' \n', undefined, null, '{}', {}]) {
    expect(fromProviderCall(toCall[format]('ping', nothing), format).input).toEqual({});
  }
});

test.each<[string, unknown, unknown, string | RegExp]>([
  ['arguments that are not JSON', 'weather', '{"city": "Bo', /^the arguments of 'weather' are not valid JSON: ./],
  ['a list', 'weather', '[1, 2]', "the arguments of 'weather' must be a JSON object, not [1,2]"],
  ['a text', 'weather', '"Bonn"', `the arguments of 'weather' must be a JSON object, not "Bonn"`],
  ['the text null', 'weather', 'null', "the arguments of 'weather' must be a JSON object, not null"],
  ['a number', 'weather', 42, "the arguments of 'weather' must be a JSON object, not 42"],
  ['a long list', 'w', [' '.repeat(500)], /^the arguments of 'w' must be a JSON object, not .{80}\.\.\.$/],
  ['no name', undefined, '{}', 'the tool call does not name a tool'],
  ['an empty name', '', '{}', 'the tool call does not name a tool'],
  ['a name that is no text', 7, '{}', 'the tool call does not name a tool'],
])('%s is told to the model', (_what, name, args, message) => {
  for (const format of formats) {
    const error = catchError(() => fromProviderCall(toCall[format](name, args), format));
    expect(error).toBeInstanceOf(ToolCallError);
    expect(error).toMatchObject({ reason: 'bad_input_shape', message: expect.stringMatching(toPattern(message)) });
  }
});

test.each<[ProviderFormat, unknown, string]>([
  ['openai', { type: 'message', content: [] }, `a tool call must be of type 'function_call', not "message"`],
  ['openai-chat', { id: 'c', type: 'function' }, 'a tool call must be an object, not undefined'],
  ['anthropic', { type: 'text', text: 'hello' }, `a tool call must be of type 'tool_use', not "text"`],
  ['google', { text: 'hello' }, 'the tool call does not name a tool'],
  ['google', null, 'a tool call must be an object, not null'],
])('%s: %j is no tool call', (format, call, message) => {
  expect(catchError(() => fromProviderCall(call, format))).toMatchObject({ reason: 'bad_input_shape', message });
});

test('an input may have any keys', () => {
  const { input } = fromProviderCall({ name: 'set', args: '{"__proto__": {"a": 1}, "toString": 2}' }, 'google');
  expect(Object.keys(input)).toEqual(['__proto__', 'toString']);
});

function catchError(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

function toPattern(message: string | RegExp): RegExp {
  return message instanceof RegExp ? message : new RegExp(`^${message.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
}
