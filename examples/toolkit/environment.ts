import { environment, step } from 'tiltyard';
import { z } from 'zod';
import { add } from './toolkit.ts';

/** Sums for an agent that may use the calculator: the same tool that OXP serves, unchanged. */
export const sums = environment({
  name: 'toolkit',
  splits: {
    train: [
      { a: 0.1, b: 0.2, sum: 0.3 },
      { a: 2.5, b: 40, sum: 42.5 },
    ],
  },
  durability: 'replay',
  prompt: ({ task }) => `What is ${task.a} + ${task.b}? Use the calculator, then submit.`,
  tools: {
    add,
    submit: {
      description: 'Submit the sum. The episode ends.',
      input: z.object({ answer: z.number() }),
      run({ answer }, { task }) {
        const right = answer === task.sum;
        return step(right ? 'Correct!' : 'Incorrect.', { reward: right ? 1 : 0, finished: true });
      },
    },
  },
});
