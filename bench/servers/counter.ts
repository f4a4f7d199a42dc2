import { environment, step, tool, toolkit } from 'tiltyard';
import { z } from 'zod';

const input = z.object({ amount: z.number(), note: z.string() });

/** What all contenders serve: a sum, a result as large as one asks for, and as much work. */
export const counter = environment({
  name: 'counter',
  // What nobody keeps costs nothing: with a journal, or in a cluster, it does.
  durability: (process.env.JOURNAL ?? process.env.CLUSTER) === undefined ? 'none' : 'replay',
  splits: {
    train: [{ start: 10 }],
    counted: { type: 'train', count: 1_000_000, get: (index) => ({ start: index }) },
  },
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
    large: {
      input: z.object({ piece: z.string(), count: z.int() }),
      // Above what is measured, whatever the default is.
      maxOutputBytes: 16 * 1024 * 1024,
      run: ({ piece, count }) => piece.repeat(count),
    },
    work: {
      input: z.object({ ms: z.number() }),
      run({ ms }) {
        // Processor time, and not the clock's: of two that share a core, each takes its own.
        const start = process.cpuUsage();
        for (;;) {
          const { user, system } = process.cpuUsage(start);
          if (user + system >= ms * 1000) return 'worked';
        }
      },
    },
  },
});

/** The same sum over OXP. */
export const counterKit = toolkit({
  name: 'Counter',
  tools: { Add: tool({ input, run: ({ amount }) => String(amount) }) },
});
