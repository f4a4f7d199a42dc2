// What the soak runs on, in a process of its own: an environment with a state, and a toolkit. Nothing is kept for long,
// so that what is left after a while is what leaks.
import { environment, step, tool, toolkit } from 'tiltyard';
import { createServer } from 'tiltyard/server';
import { z } from 'zod';
import { announce } from '../../bench/servers/announce.ts';

const counter = environment({
  name: 'counter',
  splits: { train: [{ goal: 5 }] },
  setup: () => ({ sum: 0, log: [] as string[] }),
  prompt: ({ task }) => `Reach ${task.goal}.`,
  tools: {
    add: {
      input: z.object({ amount: z.int(), note: z.string() }),
      run({ amount, note }, { state }) {
        state.sum += amount;
        state.log.push(note);
        return step(`The sum is ${state.sum}.`, { reward: amount / 10 });
      },
    },
    later: {
      timeoutMs: 10_000,
      input: z.object({ amount: z.int() }),
      async run({ amount }, { state, signal }) {
        await new Promise((resolve) => setImmediate(resolve));
        signal.throwIfAborted();
        state.sum += amount;
        return `The sum is ${state.sum}.`;
      },
    },
  },
  teardown: ({ state }) => void state?.log.splice(0),
});

const kit = toolkit({
  name: 'Counter',
  tools: { Double: tool({ version: '1.0.0', input: z.object({ n: z.int() }), run: ({ n }) => 2 * n }) },
});

const server = await createServer({
  environments: [counter],
  toolkits: [kit],
  // As in production: lines are made and written, to nowhere.
  logger: { level: 'info' },
  limits: { lingerMs: 500, tombstoneMs: 500, idleMs: 120_000 },
});
announce(Number(new URL(await server.listen()).port));
