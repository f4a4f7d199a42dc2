import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { type Run, run } from '../support/command.ts';
import { json, startForeign } from '../support/foreign.ts';
import { ATTACKS, startHostile } from '../support/hostile.ts';
import { keys, runInTerminal } from '../support/pty.ts';

// Several processes each, on a machine that is busy with others.
vi.setConfig({ testTimeout: 120_000 });

// Little enough that a command which keeps all it is sent does not live.
const ENV = { NODE_OPTIONS: '--max-old-space-size=512', TILTYARD_API_KEY: '' };

// What a person waits before Ctrl-C, and what a command may take to end then: twice a schema's time, on a busy machine.
const PATIENCE_MS = 3_000;
const SOON_MS = 15_000;

/** Presses Ctrl-C, once, on a command that is still running; gives its exit code. */
async function interruptAfter(running: Run, ms: number): Promise<number | null> {
  const ended = await Promise.race([running.exit.then(() => true), pause(ms, false)]);
  if (!ended) running.child.kill('SIGINT');
  const code = await Promise.race([running.exit, pause(SOON_MS, 'late' as const)]);
  if (code === 'late') throw new Error(`it did not end at Ctrl-C:\n${running.output()}`);
  // As shells tell of one that had not begun to listen.
  return running.child.signalCode === 'SIGINT' ? 130 : code;
}

describe.each(Object.entries(ATTACKS))('%s', (_attack, attack) => {
  test('ends every command with an error, or at Ctrl-C, and fills no memory', async () => {
    const { url } = await startHostile(attack);
    const commands = [
      ['tools', url],
      ['tasks', url],
      ['call', url, 'Any.Tool', '{}'],
      ['check', url],
      ['bench', url, '--duration', '1', '--tool', 'Any.Tool'],
    ];
    const ended = commands.map(async (args) => {
      const running = run(args, ENV);
      const code = await interruptAfter(running, PATIENCE_MS);
      expect(running.output()).not.toMatch(/heap|FATAL|\n +at .*\.js:\d+/);
      // 1: failed, 2: misuse, 130: interrupted. None: it was killed.
      expect([1, 2, 130], `${args[0]} ended with ${code}:\n${running.output()}`).toContain(code);
    });
    await Promise.all(ended);
  });
});

// Backtracks for longer than anybody lives, with as much of what it asks for as somebody types.
const PATTERN = { type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$', minLength: 40, default: 'a'.repeat(50) };

const DOUBLING = Object.fromEntries(
  Array.from({ length: 40 }, (_, at) => {
    const $ref = `#/$defs/d${at + 1}`;
    const both = { type: 'object', properties: { l: { $ref }, r: { $ref } }, required: ['l', 'r'] };
    return [`d${at}`, at === 39 ? { type: 'string' } : both];
  }),
);

const SCHEMAS: Readonly<Record<string, object>> = {
  'a pattern that backtracks': { type: 'object', properties: { text: PATTERN }, required: ['text'] },
  'definitions that double': {
    type: 'object',
    properties: { a: { $ref: '#/$defs/d0' } },
    required: ['a'],
    $defs: DOUBLING,
  },
  'a list of a thousand million items': {
    type: 'object',
    properties: { list: { type: 'array', minItems: 1_000_000_000, items: { type: 'string' } } },
    required: ['list'],
  },
};

async function startEvil(schema: object) {
  const tools = json({ tools: [{ name: 'evil', description: '', input_schema: schema }] });
  return startForeign({
    'GET /list_environments': json(['math']),
    'GET /math/splits': json([{ name: 'train', type: 'train' }]),
    'POST /math/num_tasks': json({ num_tasks: 1 }),
    'GET /math/tools': tools,
    'GET /math/task_tools': tools,
  });
}

describe.each(Object.entries(SCHEMAS))('%s in a schema', (_what, schema) => {
  test.each([
    ['check', ['check', 'URL', '--active', '--only', 'ors/D9', '--only', 'ors/C']],
    ['bench', ['bench', 'URL', '--duration', '1']],
    ['tools', ['tools', 'URL']],
  ])('does not stop %s', async (_command, args) => {
    const { url } = await startEvil(schema);
    const running = run(
      args.map((each) => (each === 'URL' ? url : each)),
      ENV,
    );
    expect([0, 1, 130]).toContain(await interruptAfter(running, 60_000));
    expect(running.output()).not.toMatch(/heap|FATAL/);
  });

  test('lets check end at Ctrl-C', async () => {
    const { url } = await startEvil(schema);
    // On a fast machine it has come to its end before.
    expect([1, 130]).toContain(await interruptAfter(run(['check', url, '--active'], ENV), 1_500));
  });
});

test('a bench says what to do about a schema that takes too long', async () => {
  const { url } = await startEvil(SCHEMAS['a pattern that backtracks'] as object);
  const running = run(['bench', url, '--duration', '1'], ENV);
  expect([await running.exit, running.output()]).toEqual([
    1,
    expect.stringMatching(/the schema of 'evil' takes too long to evaluate.*--input/s),
  ]);
});

test('a person who types what a pattern backtracks on can go on, and end it with Ctrl-C', async () => {
  const { url } = await startEvil(SCHEMAS['a pattern that backtracks'] as object);
  const screen = runInTerminal(['play', url], { TILTYARD_API_KEY: '' });
  await screen.until(/What do you do\?/);
  screen.type(keys.enter);
  await screen.until(/text \(string\)/);
  screen.type(`${'a'.repeat(60)}!${keys.enter}`);
  // Given up: what it is worth is for the server to say.
  await screen.until(/What do you do\?|evil/);
  screen.type(keys.interrupt);
  expect(await Promise.race([screen.exit, pause(SOON_MS, 'late')])).toBe(130);
});
