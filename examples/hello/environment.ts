import { environment, step } from 'tiltyard';
import { z } from 'zod';

/** The smallest environment there is: a task, a prompt, and one tool that pays a reward. */
export const hello = environment({
  name: 'hello',
  splits: { train: [{ name: 'Ada' }, { name: 'Grace' }] },
  durability: 'replay',
  prompt: ({ task }) => `Greet ${task.name} by name.`,
  tools: {
    say: {
      description: 'Say one sentence. The episode ends.',
      input: z.object({ sentence: z.string() }),
      run({ sentence }, { task }) {
        const greeted = sentence.includes(task.name);
        return step(greeted ? 'How kind!' : 'Who, me?', { reward: greeted ? 1 : 0, finished: true });
      },
    },
  },
});
