import assert from 'node:assert/strict';
import { test } from 'node:test';
import { play } from 'tiltyard/testing';
import { templateNameEnvironment } from './environment.ts';

test('the right guess is paid, and ends the episode', async () => {
  await using episode = await play(templateNameEnvironment, { split: 'train', index: 0 });
  const first = await episode.call('guess', { number: 50 });
  assert.equal(first.text, 'It is lower.');
  assert.equal(first.finished, false);
  const second = await episode.call('guess', { number: 42 });
  assert.equal(second.reward, 1);
  assert.equal(second.finished, true);
});

test('the seventh wrong guess is the last', async () => {
  // A task of your own is played like one of a split.
  await using episode = await play(templateNameEnvironment, { task: { number: 100 } });
  for (let number = 1; number < 7; number += 1) {
    assert.equal((await episode.call('guess', { number })).finished, false);
  }
  const last = await episode.call('guess', { number: 7 });
  assert.equal(last.text, 'No. It was 100.');
  assert.equal(last.reward, 0);
  assert.equal(last.finished, true);
});
