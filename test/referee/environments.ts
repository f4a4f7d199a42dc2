import { environment, step } from 'tiltyard';
import { z } from 'zod';

/** A small environment with something for every probe: long texts, a failure, an end, optional inputs, a task tool. */
export const probed = environment({
  name: 'probed',
  splits: { train: Array.from({ length: 5 }, (_, index) => ({ number: index })), test: [{ number: 9 }] },
  prompt: ({ task }) => `Say ${task.number}.`,
  tools: {
    echo: {
      description: 'Returns its text.',
      input: z.object({
        text: z.string(),
        times: z.number().int().min(1).max(3).optional(),
        mode: z.enum(['plain', 'loud']).optional(),
      }),
      run: ({ text, times = 1 }) => text.repeat(times),
    },
    count: { description: 'Takes a number.', input: z.object({ number: z.number() }), run: ({ number }) => number + 1 },
    look: { description: 'Takes nothing.', run: () => 'nothing to see' },
    boom: {
      description: 'Throws.',
      run() {
        throw new Error('broken');
      },
    },
    submit: {
      description: 'Ends the episode.',
      input: z.object({ answer: z.string() }),
      run: () => step('done', { reward: 0, finished: true }),
    },
    hint: { description: 'A tool of the task.', shared: false, run: () => 'think' },
  },
});

/** Another one, with other tools. */
export const other = environment({
  name: 'other',
  splits: { train: [{}] },
  prompt: () => 'Wait.',
  tools: { wait: { description: 'Waits.', run: () => 'waited' } },
});
