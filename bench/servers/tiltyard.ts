// This server with everything on: validation, linger, logging.
import { environment, step } from 'tiltyard';
import { createServer } from 'tiltyard/server';
import { z } from 'zod';
import { announce } from './announce.ts';

const counter = environment({
  name: 'counter',
  splits: { train: [{ start: 10 }] },
  setup: ({ task }) => ({ total: task.start }),
  prompt: () => 'Count.',
  tools: {
    add: {
      input: z.object({ amount: z.number(), note: z.string() }),
      run({ amount }, { state }) {
        state.total += amount;
        return step(String(amount), { reward: 0.5 });
      },
    },
  },
});

const server = await createServer({ environments: [counter], logger: { level: 'info' } });
const url = await server.listen();
announce(Number(new URL(url).port));
