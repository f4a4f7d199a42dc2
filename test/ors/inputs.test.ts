import { type } from 'arktype';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { expectError } from '../support/errors.ts';
import { shareServer, startServer } from '../support/http.ts';
import { minimal } from '../support/minimal.ts';
import { expectRefusal, TELLING } from '../support/refusals.ts';

const server = shareServer();

/** Calls a tool in a new session; what the tool saw is its output. */
async function callTool(name: string, input: object, own = server()) {
  return own.call(await own.create(), name, input);
}

/** What `num`, which returns its input, saw. */
async function seenByNum(input: object, own = server()): Promise<unknown> {
  const { result, text } = await callTool('num', input, own);
  expect(result?.ok, text).toBe(true);
  return JSON.parse(result?.output.blocks[0].text);
}

/** A server of one tool `look` with this input, which returns what it sees. */
async function startWith(input: object) {
  const { create, call } = await startServer({ environments: [minimal({ tools: { look: { input, run: echo } } })] });
  const sid = await create();
  return (given: object) => call(sid, 'look', given, { env: 'minimal' });
}

const echo = (input: unknown) => input as object;

test.each(TELLING)('C9: with toolErrors %s, %s hears of a wrong input %s', async (toolErrors, userAgent, told) => {
  const { create, call, counters } = await startServer({ toolErrors });
  const sid = await create();
  const headers = { 'user-agent': userAgent };
  const refusal = { status: 400, reason: 'input_validation', message: /^Tool input validation error: ./ } as const;
  expectRefusal(await call(sid, 'submit', { answer: 5 }, { headers }), told, refusal);
  expectRefusal(await call(sid, 'submit', {}, { headers }), told, refusal);
  expect(counters.runs).toEqual({});
  expect((await call(sid, 'submit', { answer: '0' }, { headers })).result?.output.reward).toBe(1);
});

test.each<[name: string, input: object, message: string]>([
  ['submit', {}, 'answer: Is required'],
  ['submit', { answer: 5 }, 'answer: Must be a string'],
  ['num', { x: 1, mode: 'soft' }, 'mode: Must be one of "easy", "hard"'],
  ['num', { x: 1, nested: { deep: [] } }, 'nested.deep: Must be a string'],
  ['num', { x: 1, n: 11, list: [1, 'two'] }, 'n: Must be <= 10; list.1: Must be a number'],
])('C10: the message of %s with %j names the place and what was expected', async (name, input, message) => {
  expectError(await callTool(name, input), 400);
  expect((await callTool(name, input)).json.detail).toBe(`Tool input validation error: ${message}`);
});

test.each<[what: string, wrong: object, right: object]>([
  ['required', {}, { x: 1 }],
  ['enum', { x: 1, mode: 'soft' }, { x: 1, mode: 'hard' }],
  ['nested objects', { x: 1, nested: {} }, { x: 1, nested: { deep: 'a' } }],
  ['objects', { x: 1, nested: 'deep' }, { x: 1, nested: { deep: '' } }],
  ['arrays', { x: 1, list: 1 }, { x: 1, list: [] }],
  ['items', { x: 1, list: [{}] }, { x: 1, list: [1, 2] }],
  ['minimum', { x: 1, n: 0 }, { x: 1, n: 1 }],
  ['maximum', { x: 1, n: 11 }, { x: 1, n: 10 }],
  ['null', { x: 1, nothing: 0 }, { x: 1, nothing: null }],
])('C11: the schema is enforced: %s', async (_what, wrong, right) => {
  const before = server().counters.runs.num;
  expectError(await callTool('num', wrong), 400);
  expect(server().counters.runs.num).toBe(before);
  expect(await seenByNum(right)).toEqual({ n: 3, ...right });
});

test('C12: defaults are filled in before the tool runs', async () => {
  expect(await seenByNum({ x: 1 })).toEqual({ x: 1, n: 3 });
  expect(await seenByNum({ x: 1, n: 5 })).toEqual({ x: 1, n: 5 });
});

test.each<[library: string, input: object]>([
  ['zod', z.object({ n: z.number().default(3), deep: z.object({ s: z.string().default('x') }).prefault({}) })],
  ['ArkType', type({ n: 'number = 3', deep: type({ s: "string = 'x'" }).default(() => ({ s: 'x' })) })],
])('C12: defaults of %s are filled in', async (_library, input) => {
  const call = await startWith(input);
  expect(JSON.parse((await call({})).result?.output.blocks[0].text)).toEqual({ n: 3, deep: { s: 'x' } });
});

test.each<[given: object, seen: object]>([
  [{ x: '42' }, { x: 42 }],
  [{ x: '-1.5e3' }, { x: -1500 }],
  [
    { x: 1, n: '4' },
    { x: 1, n: 4 },
  ],
  [
    { x: 1, flag: 'true' },
    { x: 1, flag: true },
  ],
  [
    { x: 1, flag: 'false' },
    { x: 1, flag: false },
  ],
  [
    { x: 1, list: ['1', 2] },
    { x: 1, list: [1, 2] },
  ],
])('C13: %j is taken as %j', async (given, seen) => {
  expect(await seenByNum(given)).toEqual({ n: 3, ...seen });
});

test.each<[name: string, input: object]>([
  ['submit', { answer: 42 }],
  ['submit', { answer: true }],
  ['num', { x: 'forty-two' }],
  ['num', { x: '' }],
  ['num', { x: true }],
  ['num', { x: 1, n: 1.5 }],
  ['num', { x: 1, n: '1.5' }],
  ['num', { x: 1, flag: 1 }],
  ['num', { x: 1, list: '1' }],
])('C13: what would lose or guess something is refused: %s with %j', async (name, input) => {
  expectError(await callTool(name, input), 400, /^Tool input validation error/);
});

test('C13: coercion can be turned off, and null for absent with it', async () => {
  const strict = await startServer({ lenientInputs: false });
  for (const wrong of [{ x: '42' }, { x: 1, flag: 'true' }, { x: 1, n: null }]) {
    expectError(await callTool('num', wrong, strict), 400);
  }
  expect(await seenByNum({ x: 42 }, strict)).toEqual({ x: 42, n: 3 });
});

test('C14: null for an optional parameter that cannot be null is taken as absent', async () => {
  const unset = { n: null, flag: null, mode: null, nested: null, list: null };
  expect(await seenByNum({ x: 1, ...unset })).toEqual({ x: 1, n: 3 });
  expect(await seenByNum({ x: 1, nothing: null })).toEqual({ x: 1, n: 3, nothing: null });
  expectError(await callTool('num', { x: null }), 400, /x: Must be a number/);
});

test('C14: null is taken as absent also where the type stands elsewhere in the schema', async () => {
  const call = await startWith({
    type: 'object',
    properties: { color: { $ref: '#/$defs/Color', default: 'red' }, shade: { $ref: '#/$defs/Color' } },
    $defs: { Color: { enum: ['red', 'blue'] } },
  });
  expect((await call({ color: null, shade: null })).result?.output.blocks[0].text).toBe('{"color":"red"}');
});

test('C15: extra properties are allowed unless the schema forbids them', async () => {
  expect(await seenByNum({ x: 1, extra: { a: 1 } })).toEqual({ x: 1, n: 3, extra: { a: 1 } });
  expect((await callTool('submit', { answer: '0', extra: 1 })).result?.ok).toBe(true);
});

test.each<[what: string, input: object]>([
  ['plain JSON Schema', { type: 'object', properties: {}, additionalProperties: false }],
  ['zod', z.strictObject({})],
  ['ArkType', type({ '+': 'reject' })],
])('C15: extra properties are refused where %s forbids them', async (_what, input) => {
  const call = await startWith(input);
  expectError(await call({ extra: 1 }), 400, /extra: Is not a known parameter/);
  expect((await call({})).result?.ok).toBe(true);
});

test.each([{}, { extra: 1, more: [null] }])(
  'C16: a tool without parameters runs with %j and sees {}',
  async (given) => {
    const { create, call, counters } = await startServer();
    expect((await call(await create(), 'noargs', given)).result?.ok).toBe(true);
    expect(counters.inputs.noargs).toEqual({});
  },
);

test('a check that waits refuses like any other, and a check that breaks is an error of the author', async () => {
  const known = z.object({ word: z.string().refine(async (word) => word === 'known', 'Is not a known word') });
  const call = await startWith(known);
  expectError(await call({ word: 'other' }), 400, /^Tool input validation error: word: Is not a known word$/);
  expect((await call({ word: 'known' })).result?.ok).toBe(true);
  const lookUp = () => {
    throw new Error('no dictionary');
  };
  const broken = await startWith(z.object({}).refine(lookUp));
  expect(await broken({})).toMatchObject({ error: 'Error: no dictionary', result: undefined });
});

test('parameters may have the names that every object has', async () => {
  const schema = { type: 'object', properties: { constructor: { type: 'number' } }, required: ['constructor'] };
  const call = await startWith(schema);
  expectError(await call({}), 400, /constructor: Is required/);
  expect((await call({ constructor: '5' })).result?.output.blocks[0].text).toBe('{"constructor":5}');
});

test('an input nested deeper than the stack is refused, and the server goes on', async () => {
  const { create, post, call } = server();
  const sid = await create();
  const nested = `${'{"value":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  const headers = { 'content-type': 'application/json' };
  const raw = `{"name":"num","input":{"x":${nested}}}`;
  expectError(await post('/math/call', undefined, { sid, raw, headers }), 400, /nested too deeply/);
  expect((await call(sid, 'noargs')).result?.ok).toBe(true);
});

test('an input nested deeper than a model writes is refused as a wrong input', async () => {
  const nested = JSON.parse(`${'{"value":'.repeat(600)}1${'}'.repeat(600)}`);
  expectError(await callTool('num', { x: nested }), 400, /^Tool input validation error: Is nested too deeply$/);
});

test('one wrong leaf in a tree of forms is refused at once, with its place', async () => {
  const Tree = z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('leaf'), value: z.number() }),
    z.object({
      kind: z.literal('add'),
      get left() {
        return Tree;
      },
      get right() {
        return Tree;
      },
    }),
    z.object({
      kind: z.literal('mul'),
      get left() {
        return Tree;
      },
      get right() {
        return Tree;
      },
    }),
  ]);
  const call = await startWith(z.object({ tree: Tree }));
  const nest = (levels: number, value: unknown): object =>
    levels === 0 ? { kind: 'leaf', value } : { kind: 'mul', left: nest(levels - 1, value), right: nest(0, 1) };
  const place = `tree${'.left'.repeat(14)}.value`;
  expectError(await call({ tree: nest(14, 'x') }), 400, new RegExp(`error: ${place}: Must be a number$`));
  expect((await call({ tree: nest(14, '1') })).result?.ok).toBe(true);
});

describe('values without end', () => {
  const emptyStrings = JSON.stringify(Array(4_000_000).fill(''));

  test('four million wrong addresses are refused as one wrong input, and the server goes on', async () => {
    const links = { input: z.object({ urls: z.array(z.url()) }), run: echo };
    const { create, post, call } = await startServer({ environments: [minimal({ tools: { links } })] });
    const sid = await create();
    const headers = { 'content-type': 'application/json' };
    const raw = `{"name":"links","input":{"urls":${emptyStrings}}}`;
    const tooMany = /^Tool input validation error: Must have at most 100000 values in all/;
    expectError(await post('/minimal/call', undefined, { sid, raw, headers }), 400, tooMany);
    expect((await call(sid, 'links', { urls: [] }, { env: 'minimal' })).result?.ok).toBe(true);
  });

  test('the limit counts what is inside other values, and can be set', async () => {
    const own = await startServer({ limits: { maxInputValues: 5 } });
    // The input itself, `x`, the list, and two numbers in it.
    expect(await seenByNum({ x: 1, list: [1, 2] }, own)).toMatchObject({ list: [1, 2] });
    expectError(await callTool('num', { x: 1, list: [1, 2, 3] }, own), 400, /at most 5 values .*maxInputValues/);
  });

  test('a task has no more of them than an input', async () => {
    const { post } = server();
    const raw = `{"task_spec":{"question":${emptyStrings}}}`;
    const options = { sid: crypto.randomUUID(), raw, headers: { 'content-type': 'application/json' } };
    expectError(await post('/create', undefined, options), 400, /at most 100000 values in all/);
  });

  test('more objects than that are refused before they are parsed', async () => {
    const { create, post } = server();
    const raw = `{"name":"noargs","input":{"list":[${'[],'.repeat(100_001)}0]}}`;
    const options = { sid: await create(), raw, headers: { 'content-type': 'application/json' } };
    expectError(
      await post('/math/call', undefined, options),
      400,
      /more than 100000 objects and lists.*maxInputValues/,
    );
  });
});
