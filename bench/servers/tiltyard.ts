// This server with everything on: validation, linger, logging.
import { environment, step, tool, toolkit } from 'tiltyard';
import { createServer } from 'tiltyard/server';
import { z } from 'zod';
import { announce } from './announce.ts';

const input = z.object({ amount: z.number(), note: z.string() });

const counter = environment({
  name: 'counter',
  splits: { train: [{ start: 10 }] },
  setup: ({ task }) => ({ total: task.start }),
  prompt: () => 'Count.',
  tools: {
    add: {
      input,
      run({ amount }, { state }) {
        state.total += amount;
        return step(String(amount), { reward: 0.5 });
      },
    },
  },
});

const counterKit = toolkit({
  name: 'Counter',
  tools: { Add: tool({ input, run: ({ amount }) => String(amount) }) },
});

const server = await createServer({ environments: [counter], toolkits: [counterKit], logger: { level: 'info' } });
const url = await server.listen();
announce(Number(new URL(url).port));
