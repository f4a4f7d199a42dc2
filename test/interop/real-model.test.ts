import { writeFile } from 'node:fs/promises';
import { environment, step } from 'tiltyard';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { startServer } from '../support/http.ts';
import { runHere } from '../support/run-here.ts';
import { episodesOf, eventsOf, runFolder } from '../support/runs.ts';
import { describeWithTrainers, shareRealModel } from './python.ts';

const COLORS = ['red', 'green', 'blue'] as const;
const PROMPT = 'I think of a color. Guess it: you have two guesses.';
const SCHEMA = { type: 'object', properties: { color: { type: 'string', enum: COLORS } }, required: ['color'] };

/** How one of the three APIs asks for a call and reads it, without a word of ours in between. */
interface Wire {
  readonly path: string;
  readonly tools: object;
  /** The conversation as it begins. */
  readonly begin: object;
  /** The request with this conversation. */
  body(conversation: readonly object[]): object;
  /** The call of an answer, and what comes next in the conversation once it has been answered. */
  next(answer: any): { input: unknown; added: readonly object[] };
}

const REPLY = 'Wrong. One guess is left.';
const user = { role: 'user', content: PROMPT };
const common = { model: 'smollm2', temperature: 0 };

const WIRES: Readonly<Record<string, Wire>> = {
  'openai-chat': {
    path: '/v1/chat/completions',
    tools: [{ type: 'function', function: { name: 'guess', parameters: SCHEMA } }],
    begin: user,
    body(messages) {
      return { ...common, max_tokens: 200, tools: this.tools, tool_choice: 'required', messages };
    },
    next({ choices: [{ message }] }) {
      const [{ id, function: called }] = message.tool_calls;
      const added = [message, { role: 'tool', tool_call_id: id, content: REPLY }];
      return { input: JSON.parse(called.arguments), added };
    },
  },
  'openai-responses': {
    path: '/v1/responses',
    tools: [{ type: 'function', name: 'guess', parameters: SCHEMA }],
    begin: user,
    body(input) {
      return { ...common, max_output_tokens: 200, tools: this.tools, tool_choice: 'required', input };
    },
    next({ output }) {
      const call = output.find(({ type }: { type: string }) => type === 'function_call');
      const added = [...output, { type: 'function_call_output', call_id: call.call_id, output: REPLY }];
      return { input: JSON.parse(call.arguments), added };
    },
  },
  anthropic: {
    path: '/v1/messages',
    tools: [{ name: 'guess', input_schema: SCHEMA }],
    begin: user,
    body(messages) {
      return { ...common, max_tokens: 200, tools: this.tools, tool_choice: { type: 'any' }, messages };
    },
    next({ content }) {
      const call = content.find(({ type }: { type: string }) => type === 'tool_use');
      const result = { type: 'tool_result', tool_use_id: call.id, content: REPLY };
      return {
        input: call.input,
        added: [
          { role: 'assistant', content },
          { role: 'user', content: [result] },
        ],
      };
    },
  },
};

describeWithTrainers('a real model, SmolLM2-135M in llama.cpp', () => {
  const modelUrl = shareRealModel();

  test.each(Object.entries(WIRES))('Q19: calls a tool twice over %s, in plain HTTP', async (_name, wire) => {
    const ask = async (conversation: readonly object[]) => {
      const response = await fetch(modelUrl() + wire.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(wire.body(conversation)),
      });
      const text = await response.text();
      expect(response.status, text).toBe(200);
      return wire.next(JSON.parse(text));
    };
    const first = await ask([wire.begin]);
    const second = await ask([wire.begin, ...first.added]);
    for (const { input } of [first, second]) expect(input).toEqual({ color: expect.toBeOneOf([...COLORS]) });
  });

  test.each(Object.keys(WIRES))('Q19: plays an episode over %s, with tiltyard run', async (wire) => {
    const { url, guesses } = await serveGuessing();
    const out = runFolder();
    const config = `${out}.json`;
    const tool_choice = wire === 'anthropic' ? { type: 'any' } : 'required';
    await writeFile(config, JSON.stringify({ parameters: { temperature: 0, tool_choice } }));
    const model = `${wire}/smollm2@${modelUrl()}/v1`;
    // More tokens than it needs; without a limit, a model of this size can go on for ever.
    const limits = ['--max-tokens', '1000', '--retries', '0'];
    const ran = await runHere(['run', url, '--model', model, '--config', config, '--out', out, ...limits, '--json']);
    expect(ran.code, ran.output).toBe(0);
    const [line] = await episodesOf(out);
    expect(line, ran.output).toMatchObject({ stop: 'finished', steps: 2 });
    expect(guesses).toHaveLength(2);
    const reward = guesses.at(-1) === 'blue' ? 1 : 0;
    expect(line?.reward).toBe(reward);
    expect(line?.tokens.input).toBeGreaterThan(0);
    expect(line?.tokens.output).toBeGreaterThan(0);
    expect(JSON.parse(ran.stdout).reward.mean).toBe(reward);
    // The second request had the answer of the tool in it.
    const messages = (await eventsOf(out, 0)).filter(({ type }) => type === 'message');
    expect(JSON.stringify(messages)).toContain(REPLY);
  });
});

async function serveGuessing() {
  const guesses: string[] = [];
  const guessing = environment({
    name: 'guessing',
    splits: { train: [{}] },
    prompt: () => PROMPT,
    tools: {
      guess: {
        description: 'Guess the color.',
        input: z.object({ color: z.enum(COLORS) }),
        run({ color }) {
          guesses.push(color);
          if (guesses.length === 1) return REPLY;
          return step('That was the last one.', { reward: color === 'blue' ? 1 : 0, finished: true });
        },
      },
    },
  });
  const { url } = await startServer({ environments: [guessing] });
  return { url, guesses };
}
