import { tool, toolkit } from 'tiltyard';
import { connectOxp } from 'tiltyard/client';
import { createServer, type Server } from 'tiltyard/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';

// Each @ts-expect-error below is a test of its own: `tsc` fails if the line compiles.

const add = tool({ input: z.object({ a: z.number(), b: z.number() }), output: z.number(), run: ({ a, b }) => a + b });

const greet = tool({ input: z.object({ name: z.string() }), output: z.string(), run: ({ name }) => `Hello, ${name}!` });

const greetPolitely = tool({
  version: '2.0.0',
  input: z.object({ name: z.string(), title: z.string().default('Dr') }),
  output: z.object({ greeting: z.string() }),
  run: ({ name, title }) => ({ greeting: `Hello, ${title} ${name}!` }),
});

const kit = toolkit({
  name: 'Kit',
  tools: { Add: add, Greet: [greet, greetPolitely], Nothing: tool({ run: () => [1] }) },
});
const other = toolkit({
  name: 'Other',
  tools: { Add: { input: { type: 'object' }, output: { type: 'number' }, run: () => 5 } },
});

const inline = toolkit({
  name: 'Inline',
  tools: {
    Repeat: {
      input: z.object({ text: z.string(), times: z.number() }),
      output: z.string(),
      run: ({ text, times }) => text.repeat(times),
    },
  },
});

let server: Server;

beforeAll(async () => {
  server = await createServer({ toolkits: [kit, other, inline], logger: false });
  await server.listen();
});

afterAll(() => server.close());

test('ids, inputs and values are inferred from the type of a toolkit', async () => {
  const client = connectOxp<typeof kit>(server.url);
  const sum = await client.call('Kit.Add', { a: 1, b: 2 });
  expect(sum.value.toFixed(1)).toBe('3.0');
  expect((await client.call('Kit.Add@1.0.0', { a: 1, b: 2 })).value.toFixed()).toBe('3');
  // @ts-expect-error the value is a number
  expect(() => sum.value.toUpperCase()).toThrow(TypeError);
});

test('of a tool with versions, any input of theirs is taken, and the value is one of theirs', async () => {
  const client = connectOxp<typeof kit>(server.url);
  const { value } = await client.call('Kit.Greet', { name: 'Ada', title: 'Lady' });
  expect(typeof value === 'string' ? value : value.greeting).toBe('Hello, Lady Ada!');
  // @ts-expect-error neither version gives this
  expect(value.text).toBeUndefined();
});

test('the input of a tool that needs none may be left out, and its value is any JSON', async () => {
  const client = connectOxp<typeof kit>(server.url);
  const { value } = await client.call('Kit.Nothing');
  expect(Array.isArray(value) && value[0]).toBe(1);
});

test('a tool that is written inside its toolkit has its types, too', async () => {
  const client = connectOxp<typeof inline>(server.url);
  expect((await client.call('Inline.Repeat', { text: 'ab', times: 2 })).value.toUpperCase()).toBe('ABAB');
  // @ts-expect-error a number is missing
  await expect(client.call('Inline.Repeat', { text: 'ab' })).rejects.toMatchObject({ status: 422 });
});

test('several toolkits are a union, and plain JSON Schema promises nothing', async () => {
  const client = connectOxp<typeof kit | typeof other>(server.url);
  expect((await client.call('Other.Add', { anything: 1 })).value).toBe(5);
  expect((await client.call('Kit.Add', { a: 1, b: 1 })).value.toFixed()).toBe('2');
});

test('wrong ids and inputs do not compile, and do not run', async () => {
  const client = connectOxp<typeof kit>(server.url);
  // @ts-expect-error no such tool
  await expect(client.call('Kit.Subtract', {})).rejects.toThrow("Tool 'Kit_Subtract' was not found");
  // @ts-expect-error the toolkit is another
  await expect(client.call('Calculator.Add@1', { a: 1, b: 2 })).rejects.toThrow('was not found');
  // @ts-expect-error a string is not a number
  await expect(client.call('Kit.Add', { a: 1, b: '2' })).rejects.toMatchObject({
    parameterErrors: { b: 'Must be a number' },
  });
  // @ts-expect-error the input is missing
  await expect(client.call('Kit.Add')).rejects.toMatchObject({ status: 422 });
});

test('without a type everything compiles', async () => {
  const client = connectOxp(server.url);
  const id: string = 'Kit.Add';
  expect((await client.call(id, { a: 1, b: 2 })).value.toFixed()).toBe('3');
});
