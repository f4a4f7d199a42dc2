import { fileURLToPath } from 'node:url';
import { environment, step } from 'tiltyard';
import { commandAgent, rollouts } from 'tiltyard/rollouts';
import { createServer } from 'tiltyard/server';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { episodesOf, runFolder } from '../support/runs.ts';

const PROGRAM = fileURLToPath(new URL('../mcp/agent-program.mjs', import.meta.url));

const PROMPTS = {
  'longer than any argument': `${'a wall of text, '.repeat(12_000)} What is 6 times 7?`,
  'with a NUL character': 'What is \0 and \0\0? What is 6 times 7?',
};

/** Plays a program on a task with such a prompt. */
async function play(prompt: keyof typeof PROMPTS, args: readonly string[], env: Record<string, string> = {}) {
  const quiz = environment({
    name: 'quiz',
    splits: { test: [{ id: 0 }] },
    prompt: () => PROMPTS[prompt],
    tools: {
      submit: {
        input: z.object({ answer: z.string() }),
        run: ({ answer }) => step('Noted.', { reward: answer === '42' ? 1 : 0, finished: true }),
      },
    },
  });
  const server = await createServer({ environments: [quiz], logger: false });
  onTestFinished(() => server.close());
  const out = runFolder();
  const agent = commandAgent({ command: process.execPath, args: [PROGRAM, 'play', ...args], env });
  await rollouts({ target: await server.listen(), out, agent, retries: 0 });
  return episodesOf(out);
}

const KINDS = Object.keys(PROMPTS) as (keyof typeof PROMPTS)[];

test.each(KINDS)(
  'a program gets a prompt %s as a file, and as its standard input',
  { timeout: 60_000 },
  async (kind) => {
    for (const args of [['{url}', '{prompt_file}'], []])
      expect(await play(kind, args)).toMatchObject([{ stop: 'finished', reward: 1 }]);
  },
);

test.each([
  ['longer than any argument', /the prompt has 192\d{3} bytes, and .* \{prompt_file\}/],
  ['with a NUL character', /the prompt has a NUL character, .* \{prompt_file\}/],
] as const)(
  'a prompt %s that is placed in an argument or a variable is refused, and says what to do',
  async (kind, why) => {
    expect(await play(kind, ['{url}', '{prompt}'])).toMatchObject([
      { stop: 'agent_threw', fault: 'harness', reward: null, detail: expect.stringMatching(why) },
    ]);
    expect(await play(kind, [], { QUESTION: 'Hear: {prompt}' })).toMatchObject([
      { detail: expect.stringMatching(why) },
    ]);
  },
);
