import { appendFileSync } from 'node:fs';
import { environment, step, text } from 'tiltyard';
import { z } from 'zod';

const task = z.object({ log: z.string().optional() });

/** Notes what really ran: a replay notes the same again, with the same id. */
function note(log: string | undefined, line: string): void {
  if (log !== undefined) appendFileSync(log, `${line}\n`);
}

/** Adds numbers up: a call that ran twice, or not at all, is seen in the total. */
export const tally = environment({
  name: 'tally',
  task,
  splits: { train: [{}] },
  durability: 'replay',
  setup: () => ({ total: 0 }),
  prompt: () => [text('Add.')],
  teardown: ({ task: { log } }) => note(log, `teardown ${process.pid}`),
  tools: {
    add: {
      description: 'Adds a number.',
      input: z.object({ amount: z.number() }),
      run({ amount }, { state, task: { log }, callId, attempt }) {
        state.total += amount;
        note(log, `add ${callId} ${attempt} ${process.pid}`);
        return step([text(`total ${state.total}`)], { reward: amount, finished: false });
      },
    },
    slowly: {
      description: 'Adds a number, and takes its time.',
      input: z.object({ amount: z.number(), ms: z.number() }),
      async run({ amount, ms }, { state, task: { log }, callId, attempt }) {
        note(log, `begin ${callId} ${attempt} ${process.pid}`);
        await new Promise((resolve) => setTimeout(resolve, ms));
        state.total += amount;
        return step([text(`total ${state.total}`)], { reward: amount, finished: false });
      },
    },
    pay: {
      description: 'Pays, once and for all.',
      effects: 'external',
      input: z.object({ ms: z.number().default(0) }),
      async run({ ms }, { task: { log }, callId, attempt }) {
        note(log, `pay ${callId} ${attempt}`);
        await new Promise((resolve) => setTimeout(resolve, ms));
        return text('paid');
      },
    },
    big: {
      description: 'Returns a long text.',
      input: z.object({ characters: z.int() }),
      run: ({ characters }) => text('x'.repeat(characters)),
    },
  },
});

/** The same without a promise. */
export const brittle = environment({
  name: 'brittle',
  task,
  splits: { train: [{}] },
  setup: () => ({ total: 0 }),
  prompt: () => [text('Add.')],
  tools: {
    add: {
      description: 'Adds a number.',
      input: z.object({ amount: z.number() }),
      run({ amount }, { state }) {
        state.total += amount;
        return text(`total ${state.total}`);
      },
    },
  },
});
