import { expect, test } from 'vitest';
import type { JsonObject } from '../../protocol/index.ts';
import { toInputField } from '../shared/schema/field.ts';
import { askFields } from './ask-field.ts';
import type { Asker } from './asker.ts';

/** A person who gives these answers: texts as they are typed, choices by their label. */
function person(...answers: readonly string[]) {
  const left = [...answers];
  const questions: string[] = [];
  const problems: string[] = [];
  const asker: Asker = {
    async type({ message, check }) {
      questions.push(message);
      for (;;) {
        const answer = next(message);
        const problem = check(answer);
        if (problem === undefined) return answer;
        problems.push(problem);
      }
    },
    async choose({ message, choices, initial = 0 }) {
      questions.push(message);
      const answer = next(message);
      const chosen = answer === 'Enter' ? choices[initial] : choices.find(({ label }) => label === answer);
      if (chosen === undefined)
        throw new Error(`'${answer}' is none of ${choices.map(({ label }) => label).join(', ')}`);
      return chosen.value;
    },
  };
  const next = (message: string) => {
    const answer = left.shift();
    if (answer === undefined) throw new Error(`nobody answers '${message}'`);
    return answer;
  };
  return { asker, questions, problems, left };
}

async function ask(schema: JsonObject, ...answers: readonly string[]) {
  const field = toInputField(schema);
  if (field.kind !== 'object') throw new Error('the schema was not read as an object');
  const { asker, ...seen } = person(...answers);
  return { input: await askFields(asker, field.fields), ...seen };
}

const object = (properties: JsonObject, required: string[] = Object.keys(properties)): JsonObject => ({
  type: 'object',
  properties,
  required,
});

test('each field is one question that says what is wanted', async () => {
  const { input, questions, left } = await ask(
    object({
      name: { type: 'string', description: 'who\nit is' },
      age: { type: 'integer', minimum: 0, maximum: 150 },
      tall: { type: 'boolean' },
      mode: { enum: ['easy', 'hard', 3] },
    }),
    ...['Ada', '36', 'false', '3'],
  );
  expect(input).toEqual({ name: 'Ada', age: 36, tall: false, mode: 3 });
  expect(questions).toEqual([
    'name (string)  who it is',
    'age (integer 0..150)',
    'tall (boolean)',
    'mode ("easy" | "hard" | 3)',
  ]);
  expect(left).toEqual([]);
});

test('an answer that does not fit is asked for again, with what is wrong', async () => {
  const { input, problems } = await ask(
    object({ age: { type: 'integer', minimum: 18 }, code: { type: 'string', pattern: '^[A-Z]+$' } }),
    ...['', 'old', '1.5', '3', '18', 'abc', 'ABC'],
  );
  expect(input).toEqual({ age: 18, code: 'ABC' });
  expect(problems).toEqual([
    'It is required: integer >= 18',
    "'old' is not a number",
    '1.5 is not a whole number',
    'Must be >= 18',
    expect.stringContaining('pattern'),
  ]);
});

test('what is optional can be left out, and defaults are offered', async () => {
  const schema = object(
    {
      note: { type: 'string' },
      empty: { type: 'string' },
      count: { type: 'integer', default: 3 },
      mode: { enum: ['easy', 'hard'], default: 'hard' },
      flag: { type: 'boolean' },
      tags: { type: 'array', items: { type: 'string' } },
      nested: object({ deep: { type: 'string' } }),
    },
    [],
  );
  expect((await ask(schema, '', '""', '', 'Enter', 'Enter', 'Enter', 'Enter')).input).toEqual({
    empty: '',
    count: 3,
    mode: 'hard',
  });
});

test('lists and objects are asked for item by item and field by field', async () => {
  const { input, questions } = await ask(
    object({
      tags: { type: 'array', items: { type: 'string' }, minItems: 1 },
      points: { type: 'array', items: object({ x: { type: 'number' } }) },
      options: object({ depth: { type: 'integer' }, note: { type: 'string' } }, ['depth']),
    }),
    // A list of one is wanted: 'that is all' comes too early.
    ...['that is all', 'add an item', 'red', 'that is all'],
    ...['add an item', '1', 'add another item', '2.5', 'that is all'],
    ...['2', ''],
  );
  expect(input).toEqual({ tags: ['red'], points: [{ x: 1 }, { x: 2.5 }], options: { depth: 2 } });
  expect(questions).toContain('points[1].x (number)');
  expect(questions).toContain('options.depth (integer)');
});

test('one of several forms is chosen first', async () => {
  const schema = object({
    shape: {
      oneOf: [
        { title: 'Circle', ...object({ radius: { type: 'number' } }) },
        { title: 'Square', ...object({ side: { type: 'number' } }) },
      ],
    },
  });
  expect((await ask(schema, 'Square', '2')).input).toEqual({ shape: { side: 2 } });
});

test('definitions are followed, and what has no end is typed as JSON', async () => {
  const schema = {
    ...object({ tree: { $ref: '#/$defs/Node' }, maybe: { anyOf: [{ $ref: '#/$defs/Level' }, { type: 'null' }] } }),
    $defs: {
      Level: { enum: ['low', 'high'] },
      Node: object({ level: { $ref: '#/$defs/Level' }, children: { type: 'array', items: { $ref: '#/$defs/Node' } } }),
    },
  };
  const answers = [
    'low',
    'add an item',
    '{"level": "mid"}',
    '{"level": "high", "children": []}',
    'that is all',
    'null',
  ];
  const { input, problems } = await ask(schema, ...answers);
  expect(input).toEqual({ tree: { level: 'low', children: [{ level: 'high', children: [] }] }, maybe: null });
  expect(problems).toHaveLength(1);
});

test('a text of several lines is typed in quotes; quotes alone mean themselves', async () => {
  const schema = object({ a: { type: 'string' }, b: { type: 'string' } });
  expect((await ask(schema, '"one\\ntwo"', '"quoted"')).input).toEqual({ a: 'one\ntwo', b: '"quoted"' });
});

test("what a server writes into its schema cannot move the terminal's cursor", async () => {
  const schema = object({ '\x1b[2Jname': { enum: ['\x1b]0;owned\x07', 'b'], description: '\x1b[31mred' } });
  const { questions } = await ask(schema, 'Enter');
  expect(questions.join()).not.toMatch(/[\x00-\x1f]/);
});
