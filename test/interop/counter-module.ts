/** An environment whose tool counts; each of its runs leaves a dot in a ledger, a run that repeats the past included. */
export const COUNTER_MODULE: string = `
import { appendFileSync } from 'node:fs';
import { environment, step } from 'tiltyard';
import { z } from 'zod';

export default environment({
  name: 'counter',
  durability: 'replay',
  splits: { train: Array.from({ length: 100 }, (_, id) => ({ id })) },
  setup: () => ({ total: 0 }),
  prompt: ({ task }) => 'Count ' + task.id,
  tools: {
    add: {
      input: z.object({ n: z.int() }),
      run({ n }, { state }) {
        state.total += n;
        appendFileSync(process.env.LEDGER, '.');
        return step(String(state.total), { reward: n });
      },
    },
  },
});
`;

/** The client of openreward sends a secret with each session, and without a key nothing of those is kept. */
export const JOURNAL_KEY: string = 'a5'.repeat(32);
