import { type EnvironmentDefinition, SetupError, ToolError } from 'tiltyard';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type Answer, startServer, type TestServer } from '../support/http.ts';
import { logLines } from '../support/log-lines.ts';
import { minimal } from '../support/minimal.ts';

const SECRET = 'sk-live-0123456789';

type Definition = Partial<EnvironmentDefinition<any, any, any, any>>;

/** An author's text with all secrets in it, as it stands in the error of a library that quotes its request. */
function quoting(secrets: Readonly<Record<string, string>>): string {
  return `401 from https://api.example.com?key=${Object.values(secrets).join('&')}.`;
}

function throwing(make: (text: string) => unknown): Definition {
  return {
    tools: {
      look: {
        run(_input, { secrets }) {
          throw make(quoting(secrets));
        },
      },
    },
  };
}

// Where an author's code can let a secret slip; `loud` says that the client hears of it at all.
const LEAKS: [name: string, leak: Definition, loud: boolean][] = [
  [
    'setup throws it',
    {
      setup({ secrets }) {
        throw new Error(quoting(secrets));
      },
    },
    true,
  ],
  [
    'setup throws it as a SetupError',
    {
      setup({ secrets }) {
        throw new SetupError(quoting(secrets), { status: 403 });
      },
    },
    true,
  ],
  ['a tool throws it in the name of an error', throwing((text) => Object.assign(new Error('x'), { name: text })), true],
  [
    'the prompt throws it',
    {
      setup: ({ secrets }) => secrets,
      prompt({ state }) {
        throw new Error(quoting(state));
      },
    },
    true,
  ],
  [
    'the choice of tools throws it',
    {
      setup: ({ secrets }) => secrets,
      taskTools({ state }) {
        throw new Error(quoting(state));
      },
    },
    true,
  ],
  ['a tool throws it', throwing((text) => new TypeError(text)), true],
  ['a tool throws it as text', throwing((text) => text), true],
  ['a tool throws it as the cause', throwing((text) => new Error('outer', { cause: new Error(text) })), false],
  ['a tool throws it as a ToolError', throwing((text) => new ToolError(text)), true],
  ['a ToolError tells it to developers', throwing((text) => new ToolError('no', { developerMessage: text })), false],
  ['a ToolError has it as its cause', throwing((text) => new ToolError('no', { cause: text })), false],
  [
    'a schema throws it',
    {
      tools: {
        look: {
          input: z.object({}).refine(() => {
            throw new Error(SECRET);
          }),
          run: () => 'unreachable',
        },
      },
    },
    true,
  ],
  [
    'the author logs it',
    {
      setup({ secrets, log }) {
        log.info(quoting(secrets), { secrets, list: [quoting(secrets)], error: new Error(quoting(secrets)) });
        return secrets;
      },
      tools: {
        look: {
          run(_input, { secrets, log }) {
            for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level](quoting(secrets), secrets);
            return 'seen';
          },
        },
      },
    },
    false,
  ],
  [
    'teardown throws it',
    {
      setup: ({ secrets }) => secrets,
      teardown({ state }) {
        throw new Error(quoting(state));
      },
    },
    false,
  ],
];

/** Everything a client can hear of a session, whatever its author's code does. */
async function hear({ get, post, call }: TestServer, secrets: object): Promise<string> {
  const sid = crypto.randomUUID();
  const heard: Answer[] = [await post('/create', { task_spec: {}, secrets }, { sid })];
  heard.push(await get('/minimal/prompt', { sid }), await get('/minimal/task_tools', { sid }));
  for (const agent of ['any', 'ors-sdk/0.1.0']) {
    heard.push(await call(sid, 'look', {}, { env: 'minimal', taskId: agent, headers: { 'user-agent': agent } }));
    heard.push(await call(sid, 'look', {}, { env: 'minimal', taskId: agent }));
  }
  heard.push(await post('/delete', undefined, { sid }), await get('/minimal/prompt', { sid }));
  return heard.map(({ text, headers }) => JSON.stringify([...headers]) + text).join('\n');
}

const MODES = ['none', 'exception', 'stacktrace'] as const;

test.each(LEAKS.flatMap(([name, leak, loud]) => MODES.map((returnErrors) => ({ name, leak, loud, returnErrors }))))(
  'S20: no secret gets out when $name (returnErrors $returnErrors)',
  async ({ leak, loud, returnErrors }) => {
    const lines = logLines();
    const own = await startServer({ environments: [minimal(leak)], logger: lines.logger, returnErrors });
    const heard = await hear(own, { api_key: SECRET });
    expect(heard).not.toContain(SECRET);
    expect(lines.text()).not.toContain(SECRET);
    // The text did get there, without the secret: otherwise this test would show nothing.
    expect(lines.text()).toContain('[secret]');
    if (loud && returnErrors !== 'none') expect(heard).toContain('[secret]');
  },
);

test.each([
  ['quotes and line breaks', { a: 'pass"word\\with\nlines' }],
  ['a secret that begins with another', { a: 'sk-live', b: 'sk-live-part-two' }],
  ['a secret of digits', { a: '20240607' }],
  ['characters of regular expressions', { a: '$&.*+?^(){}|[]' }],
])('S20: %s do not get out either', async (_what, secrets) => {
  const lines = logLines();
  const [, leak] = LEAKS.find(([name]) => name === 'the author logs it') ?? [];
  const environments = [minimal({ ...leak, ...throwing((text) => new Error(text)) })];
  const own = await startServer({ environments, logger: lines.logger, returnErrors: 'stacktrace' });
  const everything = (await hear(own, secrets)) + lines.text();
  for (const secret of [...Object.values(secrets), 'part-two', 'with\\nlines'])
    expect(everything).not.toContain(secret);
  expect(everything).toContain('[secret]');
});

test('S20: a request that is refused does not put its secrets into the answer or the log', async () => {
  const lines = logLines();
  const { post } = await startServer({ logger: lines.logger });
  const encoded = Buffer.from(JSON.stringify({ a: { value: SECRET } })).toString('base64');
  const json = { 'content-type': 'application/json' };
  const requests: [body: unknown, headers: Record<string, string>, raw?: string][] = [
    [undefined, json, `{"secrets":{"a":"${SECRET}"},}`],
    [undefined, json, `{"secrets":{"a":"${SECRET}"},"__proto__":{}}`],
    [undefined, { 'content-type': 'text/plain' }, `{"secrets":{"a":"${SECRET}"}}`],
    [{ task_spec: {}, secrets: SECRET }, json],
    [{ task_spec: {}, secrets: { a: [SECRET] } }, json],
    [{ task_spec: {}, env_name: 'nope', secrets: { a: SECRET } }, json],
    [{ task_spec: {} }, { 'x-secrets': SECRET }],
    [{ task_spec: {} }, { 'x-secrets': Buffer.from(SECRET).toString('base64') }],
    [{ split: 'nope', index: 0 }, { 'x-secrets': encoded }],
  ];
  for (const [body, headers, raw] of requests) {
    const options = { sid: crypto.randomUUID(), headers, ...(raw === undefined ? {} : { raw }) };
    const { status, text } = await post('/create', body, options);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).not.toContain(SECRET);
  }
  expect(lines.text()).not.toContain(SECRET);
  expect(lines.text()).not.toContain(encoded);
  expect(lines.text()).toContain('/create');
});
