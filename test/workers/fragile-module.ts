import { existsSync, writeFileSync } from 'node:fs';
import { type Environment, environment } from 'tiltyard';
import { z } from 'zod';

// The first check of an input ends its process.
const fragile = z.string().refine((mark) => {
  if (existsSync(mark)) return true;
  writeFileSync(mark, '');
  process.exit(3);
});

/** An environment whose inputs are dangerous to look at. */
export const brittle: Environment = environment({
  name: 'brittle',
  durability: 'replay',
  splits: { train: [{}] },
  setup: () => ({ count: 0 }),
  prompt: () => '',
  tools: {
    add: {
      input: z.object({ mark: fragile }),
      run(_input, { state }) {
        state.count += 1;
        return String(state.count);
      },
    },
  },
});
