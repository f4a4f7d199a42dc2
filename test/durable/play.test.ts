import { environment, step } from 'tiltyard';
import { play } from 'tiltyard/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';

const tools = {
  add: {
    input: z.object({ n: z.int() }),
    run({ n }: { n: number }, { state }: { state: { total: number } }) {
      state.total += n;
      return step(`${state.total}`, { reward: n });
    },
  },
};

const counting = { splits: { train: [{}] }, setup: () => ({ total: 0 }), prompt: () => 'Count.', tools };

test('an episode in a test can lose its process, and goes on as its environment promises', async () => {
  const counter = environment({ ...counting, name: 'counter', durability: 'replay' });
  await using episode = await play(counter, { split: 'train', index: 0 });
  expect((await episode.call('add', { n: 2 })).text).toBe('2');
  episode.crash();
  expect((await episode.call('add', { n: 3 })).text).toBe('5');
  episode.crash();
  expect(await episode.prompt()).toMatchObject([{ text: 'Count.' }]);
});

test('an episode in a test that promises nothing is lost', async () => {
  const counter = environment({ ...counting, name: 'counter' });
  await using episode = await play(counter, { split: 'train', index: 0 });
  await episode.call('add', { n: 2 });
  episode.crash();
  await expect(episode.call('add', { n: 3 })).rejects.toMatchObject({ code: 'session_lost' });
});
