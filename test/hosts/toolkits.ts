import { ToolError, type Toolkit, tool, toolkit } from 'tiltyard';
import { z } from 'zod';
import { note, waitAt } from './stage.ts';

// A module of its own, without anything of a test: a host may load it in another process.

const staged = z.object({ stage: z.string().optional(), gate: z.string().default('open') });

/** The toolkit of the tests of hosts. */
const kit: Toolkit = toolkit({
  name: 'Kit',
  tools: {
    Add: tool({
      description: 'Answers at once.',
      input: z.object({ a: z.number(), b: z.number().default(1), stage: z.string().optional() }),
      run({ a, b, stage }) {
        note(stage, 'Add');
        return a + b;
      },
    }),
    Wait: tool({
      description: 'Waits at a gate, unless it is aborted.',
      input: staged,
      async run({ stage, gate }, { signal }) {
        note(stage, 'Wait');
        try {
          await waitAt(stage, gate, signal);
        } catch (thrown) {
          note(stage, 'Wait aborted');
          throw thrown;
        }
        return 'waited';
      },
    }),
    Report: tool({
      run() {
        throw new ToolError('not now', { developerMessage: 'the moon is full', canRetry: true, retryAfterMs: 5 });
      },
    }),
    Crash: tool({
      requirements: { secrets: ['KEY'] },
      async run(_input, { secrets }) {
        throw new Error(`broken with ${secrets.KEY}`);
      },
    }),
    Roll: tool({
      effects: 'idempotent',
      run: (_input, { callId, attempt, seed, random }) => ({ callId, attempt, seed, rolled: random() }),
    }),
    Hidden: tool({ scopes: ['admin'], run: () => 'seen' }),
  },
});

/** All of them. */
export const toolkits: readonly Toolkit[] = [kit];
