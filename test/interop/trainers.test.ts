import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startFakeModel } from '../support/model/fake-model.ts';
import { runFolder } from '../support/runs.ts';
import { describeWithTrainers } from './python.ts';
import {
  type Ran,
  runPython,
  runTrainer,
  startTrainingServer,
  type ToolCall,
  type TrainingServer,
} from './trainers.ts';

// A right answer after a look, and a wrong one at once.
const GAMES: readonly (readonly ToolCall[])[] = [
  [
    ['look', {}],
    ['submit', { answer: 3 }],
  ],
  [['submit', { answer: 7 }]],
];

// What these games do in the environment, one after the other.
const EPISODES = [
  ...['setup 1+2', 'prompt', 'look', 'submit {"answer":3}', 'teardown'],
  ...['setup 2+3', 'prompt', 'submit {"answer":7}', 'teardown'],
].map((event) => `sums: ${event}`);

describeWithTrainers('trainers, on the second environment of a server by its name', () => {
  describe('TRL 1.16.0', () => {
    test('Q17, Q18: OpenRewardSpec plays rollouts to their rewards', async () => {
      const server = await startTrainingServer();
      const seen = await runTrainer('trl_episodes.py', server, ['owner/sums', { num_tasks: 2 }, GAMES]);
      expect(seen).toEqual({
        columns: ['prompt', 'task_index', 'a', 'b'],
        rollouts: [
          { prompt: 'What is 1 + 2?', outputs: ['It is 1.', 'Right.'], finished: true, steps: [0.25, 1] },
          { prompt: 'What is 2 + 3?', outputs: ['Wrong.'], finished: true, steps: [0] },
        ],
        rewards: [1, 0],
      });
      // It opens a session only to see its tools, and ends those of rollouts when all have been scored. An argument that
      // a tool can do without arrives as null, and counts as absent.
      const rollouts = EPISODES.filter((event) => event !== 'sums: teardown');
      const teardown = 'sums: teardown';
      expect(server.events).toEqual(['sums: setup 1+2', teardown, ...rollouts, teardown, teardown]);
      expect(server.refused()).toEqual([]);
    });
  });

  describe('inspect-openreward 0.3.0', () => {
    test('Q17, Q18: an evaluation scores its samples with the rewards', async () => {
      const server = await startTrainingServer();
      const seen = await runTrainer('inspect_episodes.py', server, ['owner/sums', 'train', GAMES]);
      expect(seen).toEqual({
        mean: 0.5,
        samples: [
          { prompt: 'What is 1 + 2?', outputs: ['It is 1.', 'Right.'], score: 1, finished: true },
          { prompt: 'What is 2 + 3?', outputs: ['Wrong.'], score: 0, finished: true },
        ],
      });
      expect(server.events).toEqual(EPISODES);
      expect(server.refused()).toEqual([]);
    });
  });

  describe('firehorse-cli 0.1.4, its react agent', () => {
    test('Q17, Q18: trials end with the rewards, and the model sees what the tools said', async () => {
      const server = await startTrainingServer();
      const { ran, requests, result } = await runFirehorse(server);
      expect(ran.code, ran.stderr).toBe(0);
      expect(result).toMatchObject({ n_completed: 2, n_failed: 0, avg_reward: 0.5 });
      expect(result.trials).toMatchObject([
        { final_reward: 1, finished: true, tool_calls: 2, error: null, input_tokens: 20 },
        { final_reward: 0, finished: true, tool_calls: 1, error: null, input_tokens: 10 },
      ]);
      expect(requests.map(({ body }) => body.tools.map(({ name }: { name: string }) => name))).toEqual(
        Array(3).fill(['submit', 'look']),
      );
      expect(requests[1]?.body.input.at(-1)).toMatchObject({ type: 'function_call_output', output: 'It is 1.' });
      expect(server.events).toEqual(EPISODES);
      expect(server.refused()).toEqual([]);
    });

    // It can hand over only secrets whose names the SDK knows, as that of Tavily.
    test('Q17: secrets that the environment requires are taken from its own variables', async () => {
      const server = await startTrainingServer({ secrets: ['TAVILY_API_KEY'] });
      const { ran, result } = await runFirehorse(server, { TAVILY_API_KEY: 'open' });
      expect(ran.stderr).toContain('Auto-detected secret: TAVILY_API_KEY');
      expect(result.avg_reward, ran.stderr).toBe(0.5);
      expect(server.events).toEqual(EPISODES.map((event) => event.replace(/setup .*/, '$& TAVILY_API_KEY=open')));
    });

    test('Q17: without such a secret no session begins, and its log says which one is missing', async () => {
      const server = await startTrainingServer({ secrets: ['TAVILY_API_KEY'] });
      const { ran, result } = await runFirehorse(server, { TAVILY_API_KEY: '' });
      expect(ran.stderr).toContain("required secret 'TAVILY_API_KEY' not found");
      expect(result).toMatchObject({ n_failed: 2, avg_reward: null });
      expect(result.trials[0].error).toContain('TAVILY_API_KEY');
      expect(server.events).toEqual([]);
    });
  });
});

/** Runs the games as two trials, with a model that plays the game of the task that it is asked about. */
async function runFirehorse({ url }: TrainingServer, variables: NodeJS.ProcessEnv = {}) {
  const model = await startFakeModel(({ body, turn }) => {
    const game = GAMES[body.input[0].content.startsWith('What is 1') ? 0 : 1] ?? [];
    return { calls: game.slice(turn, turn + 1).map(([name, input]) => ({ name, input })) };
  });
  const [, baseUrl = ''] = model.name('openai-responses').split('@');
  const out = runFolder();
  const args = [
    ...['-m', 'firehorse.cli', '--env', 'owner/sums', '--split', 'train', '--max-tasks', '2', '--output-dir', out],
    ...['--agent', 'react', '--model', 'openai/scripted', '--provider-url', baseUrl, '--no-logging'],
  ];
  const ran: Ran = await runPython(args, { url, variables: { OPENAI_API_KEY: 'none', ...variables } });
  const result = JSON.parse(await readFile(join(out, 'run_result.json'), 'utf8'));
  return { ran, result, requests: model.requests };
}
