import { readdirSync, readFileSync } from 'node:fs';
import type { Environment } from 'tiltyard';
import { createServer, type Server } from 'tiltyard/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { client } from '../test/support/http.ts';
import { shortestPaths } from './gridworld/grid.ts';
import { generateLevel } from './gridworld/level.ts';
import { readConsoles, runCurl } from './test-support/console.ts';
import { calculator, doorbell, messages } from './toolkit/toolkit.ts';

interface Episode {
  readonly split: string;
  readonly index: number;
  readonly tools: readonly string[];
  readonly calls: readonly (readonly [tool: string, input: object])[];
  /** The sum of all rewards. */
  readonly reward: number;
}

const level = generateLevel({ seed: 7, size: 8 });
const path = shortestPaths(level, level.start).get(level.goal) ?? [];

// One whole episode for each example, by the name of its folder.
const EPISODES: Readonly<Record<string, Episode>> = {
  hello: {
    split: 'train',
    index: 1,
    tools: ['say'],
    calls: [['say', { sentence: 'Hello, Grace!' }]],
    reward: 1,
  },
  gsm8k: {
    split: 'test',
    index: 1,
    tools: ['submit', 'hint'],
    calls: [
      ['hint', {}],
      ['submit', { answer: '3,000' }],
    ],
    reward: 1,
  },
  sandbox: {
    split: 'train',
    index: 3,
    tools: ['bash', 'read_file', 'write_file', 'submit'],
    calls: [
      ['write_file', { path: 'solution.mjs', content: 'export const isBalanced = () => false;' }],
      ['read_file', { path: 'solution.mjs' }],
      ['bash', { command: 'node solution.mjs' }],
      ['submit', {}],
    ],
    reward: 0.6,
  },
  gridworld: {
    split: 'train',
    index: 7,
    tools: ['move'],
    calls: path.map((direction) => ['move', { direction }]),
    // 18 steps, and two coins on the way.
    reward: 1.02,
  },
  toolkit: {
    split: 'train',
    index: 0,
    tools: ['add', 'submit'],
    calls: [
      ['add', { a: 0.1, b: 0.2 }],
      ['submit', { answer: 0.3 }],
    ],
    reward: 1,
  },
};

const names = readdirSync(new URL('.', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !['test-support', 'agents', 'mcp-client'].includes(entry.name))
  .map(({ name }) => name);

let server: Server;

beforeAll(async () => {
  const modules = await Promise.all(names.map((name) => import(/* @vite-ignore */ `./${name}/environment.ts`)));
  const exported = modules.flatMap((module) => Object.values(module));
  // Beside its environment, a module may export an oracle.
  const environments = exported.filter((each) => typeof each !== 'function') as Environment[];
  server = await createServer({ environments, toolkits: [calculator, doorbell, messages], logger: false });
  await server.listen();
});

afterAll(() => server.close());

test.each(names)('%s is played over HTTP from its creation to its end', async (name) => {
  const { get, post, call } = client(server.url);
  const episode = EPISODES[name];
  if (episode === undefined) throw new Error(`examples/${name} has no episode in this test. Add one`);
  const { sid } = (await post('/create_session')).json;
  const { split, index } = episode;
  expect((await post('/create', { env_name: name, split, index }, { sid })).json).toEqual({ sid });
  expect((await get(`/${name}/prompt`, { sid })).json[0]).toMatchObject({ type: 'text', text: expect.any(String) });
  const { tools } = (await get(`/${name}/task_tools`, { sid })).json;
  expect(tools.map((tool: { name: string }) => tool.name)).toEqual(episode.tools);

  let total = 0;
  for (const [at, [tool, input]] of episode.calls.entries()) {
    const { result } = await call(sid, tool, input, { env: name });
    expect(result).toMatchObject({ ok: true, output: { finished: at === episode.calls.length - 1 } });
    total += result?.output.reward ?? 0;
  }
  expect(total).toBeCloseTo(episode.reward, 9);

  expect((await post('/delete', undefined, { sid })).status).toBe(200);
  expect((await get(`/${name}/prompt`, { sid })).status).toBe(410);
});

test.each(names)('what the README of %s shows is what the server answers', async (name) => {
  const consoles = readConsoles(readFileSync(new URL(`${name}/README.md`, import.meta.url), 'utf8'));
  expect(consoles.length).toBeGreaterThan(0);
  for (const { command, answer } of consoles) expect(await runCurl(command, server.url), command).toBe(answer);
});
