import { play } from 'tiltyard/testing';
import { expect, test } from 'vitest';
import { gsm8k } from './environment.ts';
import { parseNumber } from './number.ts';
import { testTasks } from './test-tasks.ts';
import { trainTasks } from './train-tasks.ts';

const allTasks = [...trainTasks, ...testTasks];

test('every answer is what its working comes to', () => {
  for (const { question, working, answer } of allTasks) expect(evaluate(working), question).toBeCloseTo(answer, 9);
});

test('there are enough problems, and no two are alike', () => {
  expect(trainTasks.length).toBeGreaterThanOrEqual(30);
  expect(testTasks.length).toBeGreaterThanOrEqual(10);
  expect(new Set(allTasks.map(({ question }) => question)).size).toBe(allTasks.length);
});

test('the prompt asks the question and keeps the answer to itself', async () => {
  await using episode = await play(gsm8k, { split: 'train', index: 0 });
  const [block] = await episode.prompt();
  expect(block).toMatchObject({ type: 'text' });
  expect(JSON.stringify(block)).toContain('Nadia bakes 4 trays');
  expect(JSON.stringify(block)).not.toContain('51');
});

test.each([['train', trainTasks] as const, ['test', testTasks] as const])(
  'every task of %s pays 1 for its answer and 0 for another',
  async (split, tasks) => {
    for (const [index, { answer }] of tasks.entries()) {
      await using right = await play(gsm8k, { split, index });
      expect(await right.call('submit', { answer: String(answer) })).toMatchObject({ reward: 1, finished: true });
      await using wrong = await play(gsm8k, { split, index });
      expect(await wrong.call('submit', { answer: String(answer + 1) })).toMatchObject({
        text: 'Incorrect.',
        reward: 0,
        finished: true,
      });
    }
  },
);

test.each([
  ['72', 72],
  [' 72 ', 72],
  ['$72', 72],
  ['$ 72', 72],
  ['72 €', 72],
  ['72.0', 72],
  ['72.', 72],
  ['72.50.', 72.5],
  ['1,250', 1250],
  ['1 250', 1250],
  ['$1,234,567.80', 1234567.8],
  ['-8', -8],
  ['\u22128', -8],
  ['-$8', -8],
  ['$-8', -8],
  ['+8', 8],
  ['.5', 0.5],
  ['007', 7],
  ['-0', 0],
])('%j is read as %d', (answer, number) => expect(parseNumber(answer)).toBe(number));

test.each([
  '',
  ' ',
  '.',
  '$',
  'seventy-two',
  '72 apples',
  '7 or 8',
  '1,25',
  '12,50',
  '1,2500',
  '--8',
  '-$-8',
  '1e3',
  '0x10',
  '3/4',
  '25%',
  'NaN',
  'Infinity',
  '1.2.3',
  '72..',
])('%j is not read as a number', (answer) => expect(parseNumber(answer)).toBeUndefined());

test('an answer that is no number costs nothing: the model is told what to send, and goes on', async () => {
  await using episode = await play(gsm8k, { split: 'train', index: 0 });
  await expect(episode.call('submit', { answer: '51 rolls' })).rejects.toThrow(
    "Tool 'submit' failed: '51 rolls' is not a number. Send the number only",
  );
  expect(await episode.call('submit', { answer: '$51.00' })).toMatchObject({ text: 'Correct!', reward: 1 });
});

test('a task with a hint has the tool, and says how often it was used', async () => {
  await using episode = await play(gsm8k, { split: 'train', index: 0 });
  expect((await episode.tools()).map(({ name }) => name)).toEqual(['submit', 'hint']);
  expect(await episode.call('hint')).toMatchObject({
    text: 'Count all the rolls first, then take away those that are gone.',
    reward: null,
    finished: false,
  });
  expect(await episode.call('submit', { answer: '51' })).toMatchObject({ reward: 1, metadata: { hints: 1 } });
});

test('a task without a hint does not have the tool', async () => {
  await using episode = await play(gsm8k, { split: 'train', index: 1 });
  expect((await episode.tools()).map(({ name }) => name)).toEqual(['submit']);
  await expect(episode.call('hint')).rejects.toThrow("'hint' is not a valid tool");
});

/** Evaluates +, -, *, / and brackets. */
function evaluate(expression: string): number {
  const tokens = expression.match(/\d+(?:\.\d+)?|[-+*/()]/g) ?? [];
  if (tokens.join('') !== expression) throw new Error(`'${expression}' is not arithmetic`);
  const result = sum(tokens);
  if (tokens.length > 0) throw new Error(`'${expression}' goes on after its end`);
  return result;
}

function sum(tokens: string[]): number {
  let value = product(tokens);
  while (tokens[0] === '+' || tokens[0] === '-') value += (tokens.shift() === '-' ? -1 : 1) * product(tokens);
  return value;
}

function product(tokens: string[]): number {
  let value = atom(tokens);
  while (tokens[0] === '*' || tokens[0] === '/') {
    if (tokens.shift() === '*') value *= atom(tokens);
    else value /= atom(tokens);
  }
  return value;
}

function atom(tokens: string[]): number {
  const token = tokens.shift();
  if (token !== '(') return Number(token);
  const value = sum(tokens);
  if (tokens.shift() !== ')') throw new Error('a bracket is not closed');
  return value;
}
