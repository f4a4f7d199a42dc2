// What a run of many episodes is played on, in a process of its own: a million tasks, each solved with one call.
import { environment, step } from 'tiltyard';
import { createServer } from 'tiltyard/server';
import { announce } from '../../bench/servers/announce.ts';

const quick = environment({
  name: 'quick',
  splits: { train: { type: 'train', count: 1_000_000, get: (index) => ({ index }) } },
  prompt: ({ task }) => `Task ${task.index}.`,
  tools: { submit: { description: 'Ends.', run: () => step('Done.', { reward: 1, finished: true }) } },
});

const server = await createServer({ environments: [quick], logger: false });
announce(Number(new URL(await server.listen()).port));
