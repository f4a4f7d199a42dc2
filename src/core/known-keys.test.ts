import { expect, test } from 'vitest';
import { catalog } from './catalog.ts';
import { tool } from './define-tool.ts';
import { environment } from './environment.ts';
import { nearestOf } from './known-keys.ts';
import { toolkit } from './toolkit.ts';

const splits = { train: [{ n: 1 }] };
const tools = { look: { run: () => 'seen' } };

// Each as a module without types would bring it.
test.each<[string, object, string]>([
  ['a misspelt prompt', { promt: () => '', splits, tools }, "unknown key 'promt'. Did you mean 'prompt'?"],
  ['more than one prompt', { prompts: () => '', splits, tools }, "unknown key 'prompts'. Did you mean 'prompt'?"],
  ['no name, but almost', { name: undefined, nmae: 'a', splits, tools }, "unknown key 'nmae'. Did you mean 'name'?"],
  [
    'a misspelt list of tasks',
    { prompt: () => '', splits: { train: { task: [{ n: 1 }] } }, tools },
    "split 'train' has an unknown key 'task'. Did you mean 'tasks'?",
  ],
  [
    'a misspelt secret',
    { prompt: () => '', splits, tools, requirements: { secret: ['KEY'] } },
    "requirements has an unknown key 'secret'. Did you mean 'secrets'?",
  ],
  ['a teardown in the wrong case', { prompt: () => '', tearDown() {}, splits, tools }, "Did you mean 'teardown'?"],
  ['a misspelt input', { prompt: () => '', splits, tools: { a: { inputs: {}, run() {} } } }, "Did you mean 'input'?"],
  [
    'a key of its own',
    { prompt: () => '', splits, tools, author: 'me' },
    "unknown key 'author'. Known keys: name, task",
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

test('a toolkit is looked at the same way, and its name does not have to be right first', () => {
  expect(() => toolkit({ nam: 'Kit', tools } as never)).toThrow(
    "toolkit() has an unknown key 'nam'. Did you mean 'name'?",
  );
  expect(() => toolkit({ name: 'Kit', tool: tools } as never)).toThrow("Did you mean 'tools'?");
});

test('a split of a class of its own may have further fields', () => {
  class Rows {
    readonly rows = [{ n: 1 }];
    readonly count = 1;
    get(index: number): { n: number } {
      return this.rows[index] ?? { n: 0 };
    }
  }
  expect(environment({ name: 'rows', splits: { train: new Rows() }, prompt: () => '', tools }).name).toBe('rows');
});

test('a tool outside an environment is looked at the same way', () => {
  expect(() => tool({ desciption: 'Adds.', run: () => 1 } as never)).toThrow("Did you mean 'description'?");
});

test('an environment can be made from another', () => {
  const first = environment({ name: 'first', splits, prompt: () => '', tools });
  expect(environment({ ...first, name: 'second' }).name).toBe('second');
});

test('of two words that are near, the nearer one is meant', () => {
  expect(nearestOf(['cat', 'cart', 'carts'], 'crts')).toBe('carts');
  expect(nearestOf(['cat', 'cart'], 'CARD')).toBe('cart');
  expect(nearestOf(['cat', 'cart'], 'horse')).toBe(undefined);
});
