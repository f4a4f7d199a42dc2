import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Environment, environment, step, tool, toolkit } from 'tiltyard';
import { createServer, type ServerOptions } from 'tiltyard/server';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { describeWithPython } from './python.ts';
import { pythonPath } from './python-process.ts';

const KEY = 'schemathesis-key';

// Sessions that it leaves behind must not be in the way of the next; and what is not of its type is to be refused.
const COMMON: ServerOptions = {
  limits: { maxSessions: 10_000, maxSessionsPerIdentity: 10_000, drainMs: 0 },
  lenientInputs: false,
  logger: false,
};

const SERVERS: [what: string, options: ServerOptions, headers: readonly string[]][] = [
  ['that is open to everybody', {}, []],
  // OXP's pages disagree about the status of a call without credentials; schemathesis holds with 401.
  ['with auth', { auth: { apiKeys: [{ key: KEY }] }, oxp: { unauthorizedStatus: 401 } }, [`X-API-Key: ${KEY}`]],
];

// What one run may take on a machine with a lot to do; it is some 25 s of processor time.
const TIMEOUT_MS = 600_000;

describeWithPython('schemathesis 4.32.5', () => {
  test.concurrent.each(SERVERS)(
    'finds nothing wrong with a server %s: what it takes, what it answers, and where its links lead',
    async (_what, options, headers) => {
      const episodes = { prompts: 0, calls: 0, teardowns: 0 };
      const environments = [counted('sums', episodes), counted('files', episodes)];
      await using server = await createServer({ ...COMMON, ...options, environments, toolkits: [desk] });
      const { code, report } = await runSchemathesis(await server.listen(), headers);
      expect(code, report).toBe(0);
      // It got as far as sessions in which something happened.
      expect(Math.min(...Object.values(episodes)), JSON.stringify(episodes)).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});

const Tree: z.ZodType = z.object({
  value: z.number(),
  get children() {
    return z.array(Tree).max(2).optional();
  },
});

/** An environment with tools of all kinds of inputs; what differs between two of them is no matter of a request's form. */
function counted(name: string, episodes: { prompts: number; calls: number; teardowns: number }): Environment {
  const run = () => {
    episodes.calls += 1;
    return step('done', { reward: 0.5 });
  };
  return environment({
    name,
    splits: { train: [{ n: 1 }, { n: 2 }, { n: 3 }], held_out: { type: 'test', tasks: () => [{ n: 4 }], count: 1 } },
    prompt: () => {
      episodes.prompts += 1;
      return name;
    },
    tools: {
      submit: { input: z.object({ answer: z.number() }), run: () => step('done', { reward: 1, finished: true }) },
      look: { run },
      plant: { input: z.object({ tree: Tree, mode: z.enum(['slow', 'fast']).optional() }), run },
      fail: {
        run: () => {
          throw new Error('it failed');
        },
      },
      [`only_${name}`]: {
        input: {
          type: 'object',
          properties: { n: { $ref: '#/$defs/n' } },
          required: ['n'],
          additionalProperties: false,
          $defs: { n: { type: 'integer', minimum: 1, maximum: 10 } },
        },
        run,
      },
      hint: { shared: false, input: z.object({ level: z.int() }), run },
    },
    taskTools: () => ['hint'],
    teardown: () => {
      episodes.teardowns += 1;
    },
  });
}

const desk = toolkit({
  name: 'Desk',
  tools: {
    Clock: tool({ output: z.number(), run: () => 0 }),
    Add: [
      tool({ version: '1.0.0', input: z.object({ a: z.int(), b: z.int() }), run: ({ a, b }) => [a, b] }),
      tool({ version: '2.1.0', input: z.object({ terms: z.array(z.number()) }), run: ({ terms }) => terms.length }),
    ],
    Fail: tool({
      run: () => {
        throw new Error('it failed');
      },
    }),
    Send: tool({
      requirements: {
        secrets: ['PIN', 'TAN'],
        userId: true,
        authorization: [{ id: 'post', url: 'https://post.example' }],
      },
      input: z.object({ to: z.string().min(1) }),
      run: () => null,
    }),
  },
});

async function runSchemathesis(url: string, headers: readonly string[]): Promise<{ code: number; report: string }> {
  const here = fileURLToPath(new URL('python', import.meta.url));
  // It leaves files wherever it runs.
  const cwd = await mkdtemp(join(tmpdir(), 'tiltyard-schemathesis-'));
  const args = [
    ...['-m', 'schemathesis.cli', '--config-file', join(here, 'schemathesis.toml'), 'run', `${url}/openapi.json`],
    ...['--seed', '13', '--max-examples', '20', '--generation-database', 'none', '--no-shrink', '--no-color'],
    ...['--continue-on-failure', '--warnings', 'off'],
    ...headers.flatMap((header) => ['--header', header]),
  ];
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/_proxy$/i.test(name))),
    SCHEMATHESIS_HOOKS: 'schemathesis_hooks',
    PYTHONPATH: here,
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const child = spawn(pythonPath('official'), args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let report = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (report += text));
  try {
    const [code] = await once(child, 'close');
    return { code, report };
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}
