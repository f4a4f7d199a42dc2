import { play } from 'tiltyard/testing';
import { expect, test } from 'vitest';
import { hello } from './environment.ts';

test('a greeting by name is paid, and ends the episode', async () => {
  await using episode = await play(hello, { split: 'train', index: 0 });
  expect(await episode.prompt()).toMatchObject([{ type: 'text', text: 'Greet Ada by name.' }]);
  expect(await episode.call('say', { sentence: 'Good morning, Ada!' })).toMatchObject({
    text: 'How kind!',
    reward: 1,
    finished: true,
  });
  await expect(episode.call('say', { sentence: 'Ada!' })).rejects.toThrow('The episode is finished');
});

test('a greeting of somebody else is not', async () => {
  await using episode = await play(hello, { split: 'train', index: 1 });
  expect(await episode.call('say', { sentence: 'Good morning, Ada!' })).toMatchObject({ reward: 0, finished: true });
});

test('a task of your own is played like one of a split', async () => {
  await using episode = await play(hello, { task: { name: 'Mary' } });
  expect(await episode.call('say', { sentence: 'Hello Mary' })).toMatchObject({ reward: 1 });
});
