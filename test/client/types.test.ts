import { environment, step } from 'tiltyard';
import { connect, type Session } from 'tiltyard/client';
import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { rejection } from '../support/client.ts';
import { startServer } from '../support/http.ts';

// Each @ts-expect-error below is a test of its own: `tsc` fails if the line compiles.

const typed = environment({
  name: 'typed',
  task: z.object({ question: z.string(), level: z.number().default(1) }),
  splits: { train: [{ question: 'q' }] },
  prompt: ({ task }) => `${task.question} ${task.level}`,
  tools: {
    submit: { input: z.object({ answer: z.string() }), run: ({ answer }) => step(answer, { reward: 1 }) },
    look: { input: z.object({ closely: z.boolean().optional() }), run: ({ closely }) => String(closely) },
    wait: { run: () => 'waited' },
  },
});

/** An environment without a schema for its tasks: their type is that of the splits. */
const listed = environment({
  name: 'listed',
  splits: { train: [{ file: 'a.py', lines: 3 }] },
  prompt: ({ task }) => task.file,
  tools: { run: { run: () => 'ran' } },
});

const environments = [typed, listed];

test('with the type of an environment, right names, inputs and tasks compile and run', async () => {
  const { url } = await startServer({ environments });
  const client = connect<typeof typed>(url);
  await using session = await client.session({ task: { question: 'mine' } });
  expectTypeOf(session).toEqualTypeOf<Session<typeof typed>>();
  expect(await session.prompt()).toMatchObject([{ text: 'mine 1' }]);
  expect(await session.call('submit', { answer: 'a' })).toMatchObject({ text: 'a', reward: 1 });
  expect(await session.call('look')).toMatchObject({ text: 'undefined' });
  expect(await session.call('look', { closely: true })).toMatchObject({ text: 'true' });
  expect(await session.call('wait', {}, { timeoutMs: 5_000 })).toMatchObject({ text: 'waited', reward: null });

  const task = await client.environment('typed').task('train', 0);
  expectTypeOf(task.question).toEqualTypeOf<string>();
  const file = await client.environment<typeof listed>('listed').task('train', 0);
  expectTypeOf(file).toEqualTypeOf<{ file: string; lines: number }>();
  await using other = await client.environment<typeof listed>('listed').session({ task: { file: 'b.py', lines: 1 } });
  expect(await other.call('run')).toMatchObject({ text: 'ran' });
});

test('wrong tool names, inputs and tasks do not compile, and are refused', async () => {
  const { url } = await startServer({ environments });
  const client = connect<typeof typed>(url);
  await using session = await client.session({ split: 'train', index: 0 });
  // @ts-expect-error no such tool
  expect(await rejection(session.call('nope', {}))).toMatchObject({ reason: 'not_found' });
  // @ts-expect-error a number is not a string
  expect(await rejection(session.call('submit', { answer: 5 }))).toMatchObject({ reason: 'input_validation' });
  // @ts-expect-error the input is missing
  expect(await rejection(session.call('submit'))).toMatchObject({ reason: 'input_validation' });
  // @ts-expect-error the answer is missing
  expect(await rejection(session.call('submit', {}))).toMatchObject({ reason: 'input_validation' });
  // @ts-expect-error the question is a string
  expect(await rejection(client.session({ task: { question: 5 } }))).toMatchObject({ code: 'invalid_task' });
  // @ts-expect-error the question is missing
  expect(await rejection(client.session({ task: {} }))).toMatchObject({ code: 'invalid_task' });
  // @ts-expect-error a split needs an index
  expect(await rejection(client.session({ split: 'train' }))).toMatchObject({ status: 400 });
  const wrong = async () => {
    const task = await client.environment('typed').task('train', 0);
    // @ts-expect-error the task has no `answer`
    task.answer;
    // @ts-expect-error no such format
    await session.tools({ format: 'nope' });
    const [tool] = await session.tools({ format: 'anthropic' });
    // @ts-expect-error that is what OpenAI calls it
    tool?.parameters;
    // @ts-expect-error a result does not change
    (await session.call('wait')).reward = 1;
  };
  expect(wrong).toBeTypeOf('function');
});

test('without a type, any name, input and task compiles', async () => {
  const { url } = await startServer({ environments });
  const client = connect(url);
  await using session = await client.session({ task: { question: 'mine', more: [1, { x: null }] } });
  expect(await session.call('submit', { answer: 'a' })).toMatchObject({ text: 'a' });
  expect(await session.call('wait')).toMatchObject({ text: 'waited' });
  expect(await rejection(session.call('anything', { at: 'all' }))).toMatchObject({ reason: 'not_found' });
  const name: string = 'wait';
  expect(await session.call(name, {})).toMatchObject({ text: 'waited' });
});
