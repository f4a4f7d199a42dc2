import { expect, test } from 'vitest';
import { catalog } from './catalog.ts';
import { environment } from './environment.ts';
import { tool } from './tool.ts';

const splits = { train: [{ n: 1 }] };
const tools = { look: { run: () => 'seen' } };

// Each as a module without types would bring it.
test.each<[string, object, string]>([
  ['a misspelt prompt', { promt: () => '', splits, tools }, "unknown key 'promt'. Did you mean 'prompt'?"],
  ['a teardown in the wrong case', { prompt: () => '', tearDown() {}, splits, tools }, "Did you mean 'teardown'?"],
  ['a misspelt input', { prompt: () => '', splits, tools: { a: { inputs: {}, run() {} } } }, "Did you mean 'input'?"],
  [
    'a key of its own',
    { prompt: () => '', splits, tools, author: 'me' },
    "unknown key 'author'. It may have name, task",
  ],
])('%s is refused with the key that was meant', (_what, definition, message) => {
  expect(() => environment({ name: 'typo', ...definition } as never)).toThrow(message);
});

test('an input that is no schema is refused when it is made ready', () => {
  const shape = environment({
    name: 'shape',
    splits,
    prompt: () => '',
    tools: { a: { input: { answer: 'string' }, run: () => '' } },
  });
  expect(() => catalog([shape])).toThrow("must describe an object: { type: 'object'");
});

test('a tool outside an environment is looked at the same way', () => {
  expect(() => tool({ desciption: 'Adds.', run: () => 1 } as never)).toThrow("Did you mean 'description'?");
});

test('an environment can be made from another', () => {
  const first = environment({ name: 'first', splits, prompt: () => '', tools });
  expect(environment({ ...first, name: 'second' }).name).toBe('second');
});
