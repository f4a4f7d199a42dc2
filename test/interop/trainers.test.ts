import { describe, expect, test } from 'vitest';
import { describeWithTrainers } from './python.ts';
import { runTrainer, startTrainingServer, type ToolCall } from './trainers.ts';

// The first is right, with a look; the second is wrong.
const GAMES: readonly (readonly ToolCall[])[] = [
  [
    ['look', {}],
    ['submit', { answer: 3 }],
  ],
  [['submit', { answer: 7 }]],
];

const EPISODES = [
  'sums: setup 1+2',
  'sums: prompt',
  'sums: look',
  'sums: submit {"answer":3}',
  'sums: teardown',
  'sums: setup 2+3',
  'sums: prompt',
  'sums: submit {"answer":7}',
  'sums: teardown',
];

describeWithTrainers('trainers on the second environment of a server, by its name', () => {
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
      console.log(server.events, server.refused());
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
});
