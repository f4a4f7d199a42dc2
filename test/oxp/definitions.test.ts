import { type Tool, toolkit } from 'tiltyard';
import { createServer } from 'tiltyard/server';
import { describe, expect, test } from 'vitest';
import { startToolServer } from './support.ts';

const run = () => null;
const long = 'x'.repeat(40);

describe('toolkits that cannot be', () => {
  test.each<[string, () => unknown, string]>([
    ['without tools', () => toolkit({ name: 'Kit', tools: {} }), "toolkit 'Kit' has no tools"],
    ['without a name', () => toolkit({ name: '', tools: { A: { run } } }), 'a toolkit needs a name'],
    ['with a dash in its name', () => toolkit({ name: 'My-Kit', tools: { A: { run } } }), 'letters, digits and _'],
    ['with a dot in a name', () => toolkit({ name: 'Kit', tools: { 'A.B': { run } } }), "toolkit 'Kit': a tool needs"],
    ['with a tool that is none', () => toolkit({ name: 'Kit', tools: { A: {} as Tool } }), 'has no run function'],
    ['with no version of a tool', () => toolkit({ name: 'Kit', tools: { A: [] } }), "tool 'A' has no versions"],
    [
      'with one version twice',
      () => toolkit({ name: 'Kit', tools: { A: [{ run }, { run, version: '1.0.0' }] } }),
      "toolkit 'Kit' has A@1.0.0 twice",
    ],
    [
      'with half a version',
      () => toolkit({ name: 'Kit', tools: { A: { run, version: '1.0' } } }),
      'version must be three numbers such as 1.0.0, not "1.0"',
    ],
    [
      'with names that are too long together',
      () => toolkit({ name: long, tools: { [long]: { run } } }),
      'has 81 characters; the maximum is 64',
    ],
  ])('OXP O3: a toolkit %s is refused', (_what, define, message) => {
    expect(define).toThrow(message);
  });

  test.each([
    ['of one name', ['Kit', 'A'], ['Kit', 'B'], "two toolkits are named 'Kit'"],
    [
      'whose tools have one name',
      ['My_Kit', 'A'],
      ['My', 'Kit_A'],
      'My_Kit.A and My.Kit_A are both published as My_Kit_A',
    ],
  ])('OXP O3: two toolkits %s are refused', async (_what, [one, a], [two, b], message) => {
    const kits = [
      toolkit({ name: one as string, tools: { [a as string]: { run } } }),
      toolkit({ name: two as string, tools: { [b as string]: { run } } }),
    ];
    await expect(createServer({ toolkits: kits, logger: false })).rejects.toThrow(message);
  });

  test('OXP O3: what toolkit() did not make is refused', async () => {
    const kit = { name: 'Kit', tools: { A: { run } } } as never;
    await expect(createServer({ toolkits: [kit], logger: false })).rejects.toThrow('made with toolkit(');
  });

  test('OXP O4: an input that is no object is refused', async () => {
    const kit = toolkit({ name: 'Kit', tools: { A: { input: { type: 'string' }, run } } });
    await expect(createServer({ toolkits: [kit], logger: false })).rejects.toThrow(
      "toolkit 'Kit', tool 'A': its input must describe an object",
    );
  });
});

test('OXP O3: the longest name is one of 64 characters', async () => {
  const kit = toolkit({ name: 'K'.repeat(32), tools: { ['T'.repeat(31)]: { run } } });
  const { get, call } = await startToolServer({ toolkits: [kit] });
  const [{ id, name }] = (await get('/tools')).json.items;
  expect(name).toHaveLength(64);
  expect((await call({ tool_id: id })).status).toBe(200);
});
