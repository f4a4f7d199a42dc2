// What is besieged, in a process of its own with a small heap: an environment that honest clients play, and one whose tools
// return as much as they are asked for. Each side has a key.
import { environment, step, tool, toolkit } from 'tiltyard';
import { createServer } from 'tiltyard/server';
import { z } from 'zod';
import { announce } from '../../bench/servers/announce.ts';
import { HONEST_KEY, HOSTILE_KEY, MEGABYTE } from './sides.ts';

const sums = environment({
  name: 'sums',
  splits: { train: [{ a: 17, b: 25 }] },
  prompt: ({ task }) => `What is ${task.a} + ${task.b}?`,
  tools: {
    submit: {
      input: z.object({ answer: z.number() }),
      run: ({ answer }, { task }) =>
        step(`You said ${answer}.`, { reward: answer === task.a + task.b ? 1 : 0, finished: true }),
    },
  },
});

const quarry = environment({
  name: 'quarry',
  splits: { train: Array.from({ length: 40 }, (_, index) => ({ id: index, rubble: 'r'.repeat(MEGABYTE) })) },
  task: z.looseObject({}),
  prompt: () => 'Dig.',
  tools: {
    dig: {
      description: 'Returns so many megabytes.',
      input: z.object({ megabytes: z.number() }),
      maxOutputBytes: 64 * MEGABYTE,
      run: ({ megabytes }) => 'x'.repeat(megabytes * MEGABYTE),
    },
    visit: {
      description: 'Takes addresses.',
      input: z.object({ urls: z.array(z.url()) }),
      run: ({ urls }) => `${urls.length} addresses.`,
    },
    wait: { description: 'Waits for a minute.', input: z.object({}), run: (_input, { signal }) => rest(signal) },
  },
});

const quarries = toolkit({
  name: 'Quarry',
  tools: {
    Dig: tool({
      version: '1.0.0',
      input: z.object({ megabytes: z.number() }),
      maxOutputBytes: 64 * MEGABYTE,
      run: ({ megabytes }) => 'x'.repeat(megabytes * MEGABYTE),
    }),
  },
});

async function rest(signal: AbortSignal): Promise<string> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, 60_000);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
  return 'Rested.';
}

const server = await createServer({
  environments: [sums, quarry],
  toolkits: [quarries],
  auth: {
    apiKeys: [
      { key: HONEST_KEY, identity: 'honest' },
      { key: HOSTILE_KEY, identity: 'hostile' },
    ],
  },
  logger: { level: 'warn' },
});
announce(Number(new URL(await server.listen()).port));
