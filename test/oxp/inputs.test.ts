import { describe, expect, test } from 'vitest';
import type { Answer } from '../support/http.ts';
import { shareToolServer, startToolServer } from './support.ts';

const server = shareToolServer();

/** Calls a tool that must not run, and gives what is said of its parameters. */
async function refused(toolId: string, input: unknown): Promise<Record<string, string>> {
  const before = server().runs.length;
  const answer = await server().call({ tool_id: toolId, input });
  expectInvalid(answer);
  expect(server().runs.length).toBe(before);
  return answer.json.parameter_errors;
}

function expectInvalid({ status, headers, json, text }: Answer): void {
  expect(status, text.slice(0, 500)).toBe(422);
  expect(headers.get('tiltyard-outcome')).toBe('tool_error');
  expect(Object.keys(json)).toEqual(['$schema', 'message', 'parameter_errors']);
  expect(json.message).toBe('Some input parameters are invalid');
}

describe('parameters', () => {
  test.each([
    ['of the wrong type', { a: 10, b: 'infinity' }, { b: 'Must be a number' }],
    ['that is missing', { a: 10 }, { b: 'Is required' }],
    ['that is null', { a: 10, b: null }, { b: 'Must be a number' }],
    ['that is a number as text', { a: 10, b: '5' }, { b: 'Must be a number' }],
    ['of two that are wrong', { a: [], b: {} }, { a: 'Must be a number', b: 'Must be a number' }],
    ['of two that are missing', {}, { a: 'Is required', b: 'Is required' }],
  ])('OXP E2: a parameter %s is named', async (_what, input, errors) => {
    expect(await refused('Calculator.Add', input)).toEqual(errors);
  });

  test('OXP E2: no input at all is an empty one', async () => {
    expect(await refused('Calculator.Add', undefined)).toEqual({ a: 'Is required', b: 'Is required' });
    expect((await server().call({ tool_id: 'Shapes.NoInput' })).json.result.value).toBe('nothing needed');
  });

  const NO_OBJECTS = [null, 5, 'a', true, [], [{ a: 1, b: 2 }]].map((each) => [each]);
  test.each(NO_OBJECTS)('OXP E2: the input %j is no object, whichever tool it is for', async (input) => {
    for (const id of ['Calculator.Add', 'Shapes.NoInput', 'Shapes.Echo', 'Slow.Once']) {
      expect(await refused(id, input)).toEqual({ input: 'Must be an object' });
    }
  });

  test('OXP E2: inside a parameter the path is told, under the name of the parameter', async () => {
    const input = { name: 'a', at: { x: 1 }, path: [{ x: 1 }, { x: 'far' }] };
    expect(await refused('Shapes.Nested', input)).toEqual({ path: '1.x: Must be a number' });
    expect(await refused('Shapes.Nested', { name: 'a', at: {} })).toEqual({ at: 'x: Is required' });
  });

  test('OXP E2: several errors of one parameter stand in one entry', async () => {
    const input = { name: 'a', at: { x: 'far', label: 'l' }, tags: { one: 1, two: 'b', three: null } };
    const errors = await refused('Shapes.Nested', input);
    expect(Object.keys(errors).sort()).toEqual(['at', 'tags']);
    expect(errors.at).toBe('x: Must be a number; label: Must NOT have fewer than 2 characters');
    expect(errors.tags).toBe('two: Must be a number; three: Must be a number');
  });

  test('OXP E2: choices, patterns and limits say what is wanted', async () => {
    const input = { name: 'A1', at: { x: 1 }, path: [1, 2, 3, 4], mode: 'medium', limit: 1.5 };
    const errors = await refused('Shapes.Nested', input);
    expect(errors).toMatchObject({
      name: expect.stringContaining('pattern'),
      mode: 'Must be one of "fast", "slow"',
      limit: 'Must be an integer or null',
    });
    expect(errors.path).toContain('0: Must be an object');
  });

  test('OXP E2: a parameter behind a reference is checked as well', async () => {
    expect(await refused('Shapes.Defs', { line: { from: 'blue' }, lines: [{}] })).toEqual({
      line: 'from: Must be one of "red", "green"',
      lines: '0.from: Is required',
    });
  });

  test('OXP E2: a thousand errors are not told one by one', async () => {
    const tags = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`t${index}`, 'x']));
    const { tags: text } = await refused('Shapes.Nested', { name: 'a', at: { x: 1 }, tags });
    expect(text).toMatch(/^t0: Must be a number; .*; and 990 more$/);
  });

  test('OXP E2: with lenientInputs, what is written as text passes for a number', async () => {
    const { call } = await startToolServer({ oxp: { lenientInputs: true } });
    const { json } = await call({ tool_id: 'Calculator.Add', input: { a: '1', b: 2 } });
    expect(json.result.value).toBe(3);
  });
});
