import { toolkit } from 'tiltyard';
import { describe, expect, test } from 'vitest';
import { shareToolServer, startToolServer } from './support.ts';
import { VERSIONS } from './toolkits.ts';

const server = shareToolServer();

// The newest first, by number.
const AVAILABLE = 'available: 2.0.0, 1.10.0, 1.9.0, 1.4.2, 1.0.0, 0.9.0';

/** The version of Calculator.Add that ran for an id. */
async function versionFor(toolId: string): Promise<string | undefined> {
  const before = server().runs.length;
  const { status, json } = await server().call({ tool_id: toolId, input: { a: 1, b: 2 } });
  expect([status, json.result?.value], JSON.stringify(json)).toEqual([200, 3]);
  const ran = server().runs.slice(before);
  expect(ran).toHaveLength(1);
  return ran[0]?.id;
}

describe('versions', () => {
  test.each(VERSIONS)('OXP T1: @%s means that version', async (version) => {
    expect(await versionFor(`Calculator.Add@${version}`)).toBe(`Calculator.Add@${version}`);
  });

  test('OXP T2: @1 means 1.0.0 exactly', async () => {
    expect(await versionFor('Calculator.Add@1')).toBe('Calculator.Add@1.0.0');
  });

  test('OXP T2: @2 means 2.0.0', async () => {
    expect(await versionFor('Calculator.Add@2')).toBe('Calculator.Add@2.0.0');
  });

  test('OXP T2: @0 means 0.0.0, which is not there although 0.9.0 is', async () => {
    const { status, json } = await server().call({ tool_id: 'Calculator.Add@0' });
    expect([status, json.developer_message]).toEqual([
      400,
      `Calculator.Add version 0.0.0 is not available (${AVAILABLE})`,
    ]);
  });

  test('OXP T3: no version means the latest', async () => {
    expect(await versionFor('Calculator.Add')).toBe('Calculator.Add@2.0.0');
  });

  test('OXP T3: the latest is found by number, not by letter', async () => {
    const Tell = ['1.9.0', '1.10.0', '1.2.0'].map((version) => ({ version, run: () => version }));
    const { call } = await startToolServer({ toolkits: [toolkit({ name: 'Kit', tools: { Tell } })] });
    expect((await call({ tool_id: 'Kit.Tell' })).json.result.value).toBe('1.10.0');
  });

  test.each(['1.0.1', '3.0.0', '1.10.1', '10.0.0', '99999999999999999999.0.0'])(
    'OXP T1, T4: @%s is not available',
    async (version) => {
      const { status, json } = await server().call({ tool_id: `Calculator.Add@${version}` });
      expect(status).toBe(400);
      expect(json).toEqual({
        $schema: 'urn:oxp:1.0',
        message: "Tool 'Calculator_Add' was not found",
        developer_message: `Calculator.Add version ${version} is not available (${AVAILABLE})`,
      });
    },
  );

  test('OXP T4: zeros in front of a version say nothing, as the pattern of the description allows them', async () => {
    expect(await versionFor('Calculator.Add@01')).toBe('Calculator.Add@1.0.0');
    expect(await versionFor('Calculator.Add@1.04.2')).toBe('Calculator.Add@1.4.2');
  });
});

describe('ids', () => {
  const MALFORMED = [
    '',
    'Calculator',
    'Calculator.',
    '.Add',
    '.',
    'Calculator.Add.More',
    'Calculator_Add',
    'Calc ulator.Add',
  ];
  const PADDED = [' Calculator.Add', 'Calculator.Add ', 'Calculator.Add\n', 'Calculator.Add@1\n', 'Calculator-x.Add'];
  const VERSIONED = [
    '@',
    '@1.2',
    '@1.2.3.4',
    '@v1',
    '@1.0.0-beta',
    '@latest',
    '@-1',
    '@1.',
    '@*',
    '@1@2',
    '@ 1',
    '@１',
  ];
  test.each([...MALFORMED, ...PADDED, ...VERSIONED.map((version) => `Calculator.Add${version}`)])(
    'OXP T4: %j is no tool id',
    async (toolId) => {
      const { status, json } = await server().call({ tool_id: toolId, input: { a: 1, b: 2 } });
      expect([status, json.message]).toEqual([400, 'The tool id is not valid']);
      expect(json.developer_message).toContain(`'${toolId}' is not of the form Toolkit.Tool`);
    },
  );

  const NO_TEXT = [undefined, null, 5, true, {}, ['Calculator.Add']].map((each) => [each]);
  test.each(NO_TEXT)('OXP T4: a tool_id that is %j is refused', async (id) => {
    const { status, json } = await server().call({ tool_id: id });
    expect([status, json.message]).toEqual([400, 'The request is not valid']);
    expect(json.developer_message).toContain("'tool_id' must be a string");
  });

  const UNKNOWN = ['Calculator.Subtract', 'Nobody.Add', 'Add.Calculator', 'Calculator.toString', 'constructor.Add'];
  test.each([...UNKNOWN, '__proto__.__proto__', 'Nobody.Add@1', 'Nobody.Add@1.0.0'])(
    'OXP T4: %s is unknown',
    async (id) => {
      const { status, json } = await server().call({ tool_id: id, input: { a: 1, b: 2 } });
      const base = id.replace(/@.*/, '');
      expect(status).toBe(400);
      expect(json.message).toBe(`Tool '${base.replace('.', '_')}' was not found`);
      expect(json.developer_message).toBe(`${base} does not exist`);
    },
  );

  test('OXP T4: an id without end is not sent back', async () => {
    for (const id of ['x'.repeat(100_000), `${'x'.repeat(100_000)}.y`, `Calculator.Add@${'9'.repeat(100_000)}`]) {
      const { status, text } = await server().call({ tool_id: id });
      expect(status).toBe(400);
      expect(text.length).toBeLessThan(1_000);
    }
  });

  test.each(['calculator.add', 'CALCULATOR.ADD', 'Calculator.add', 'calculator.Add@1.0.0'])(
    'OXP T5: case counts: %s is unknown, and Calculator.Add is suggested',
    async (id) => {
      const { status, json } = await server().call({ tool_id: id, input: { a: 1, b: 2 } });
      expect(status).toBe(400);
      expect(json.message).toMatch(/was not found$/);
      expect(json.developer_message).toContain('Did you mean Calculator.Add?');
    },
  );
});
