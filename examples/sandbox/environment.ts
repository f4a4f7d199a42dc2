import { environment, step, ToolError } from 'tiltyard';
import { z } from 'zod';
import { runProcess } from './child-process.ts';
import { grade } from './grade.ts';
import type { Problem } from './problem.ts';
import { problems } from './problems.ts';
import { createWorkspace, readInside, removeWorkspace, writeInside } from './workspace.ts';

const MAX_OUTPUT_BYTES = 16 * 1024;
const path = z.string().min(1).describe('a path relative to the working directory');

/**
 * Coding problems in a directory of their own, graded by tests that the agent never sees. `bash` runs as the user of the
 * server: whoever may call it is trusted with the machine. The README says what to do about that.
 */
export const sandbox = environment({
  name: 'sandbox',
  task: z.object({ problem: z.enum(Object.keys(problems) as (keyof typeof problems)[]) }),
  splits: {
    train: [
      { problem: 'roman' },
      { problem: 'ranges' },
      { problem: 'duration' },
      { problem: 'brackets' },
      { problem: 'binary-search' },
    ],
    test: [{ problem: 'csv' }, { problem: 'build-order' }, { problem: 'wrap' }],
  },
  // What bash does is not the same twice, and need not stay in the directory: after a crash nothing can be promised.
  durability: 'none',
  async setup({ task }) {
    const problem: Problem = problems[task.problem];
    return { problem, directory: await createWorkspace(problem.files ?? {}) };
  },
  prompt: ({ state }) =>
    `${state.problem.statement}\n\n` +
    'Export the function from solution.mjs in the working directory. Try it with bash, where node is to be had. ' +
    'Then call submit: hidden tests run against solution.mjs, and the reward is the fraction that passes.',
  tools: {
    bash: {
      description: 'Run a command in the working directory. It has no input, and what it starts ends with it.',
      input: z.object({
        command: z.string().min(1).describe('a command line for bash'),
        seconds: z.number().positive().max(60).default(20).describe('how long it may take'),
      }),
      async run({ command, seconds }, { state, signal }) {
        const { output, cut, exitCode, timedOut } = await runProcess({
          file: 'bash',
          args: ['-c', command],
          directory: state.directory,
          timeMs: seconds * 1000,
          maxBytes: MAX_OUTPUT_BYTES,
          read: [1, 2],
          signal,
        });
        const notes = [
          ...(cut ? [`[output cut after ${MAX_OUTPUT_BYTES} bytes]`] : []),
          timedOut ? `[killed after ${seconds} s]` : `[exit code ${exitCode ?? 'none: killed by a signal'}]`,
        ];
        return [...(output === '' ? [] : [output]), ...notes].join('\n');
      },
    },
    read_file: {
      description: 'Read a text file of the working directory.',
      input: z.object({ path }),
      run: (input, { state }) => readInside(state.directory, input.path),
    },
    write_file: {
      description: 'Write a text file of the working directory, and the folders above it. An old file is replaced.',
      input: z.object({
        path,
        content: z
          .string()
          .max(256 * 1024)
          .describe('the whole text of the file'),
      }),
      async run(input, { state }) {
        await writeInside(state.directory, input.path, input.content);
        return `Wrote ${input.path}.`;
      },
    },
    submit: {
      description: 'Run the hidden tests against solution.mjs. The episode ends.',
      async run({}, { state, signal }) {
        await assertSolution(state.directory);
        const { passed, total } = await grade(state.problem, { directory: state.directory, signal });
        return step(`${passed} of ${total} hidden tests passed.`, {
          reward: passed / total,
          finished: true,
          metadata: { passed, total },
        });
      },
    },
  },
  async teardown({ state }) {
    if (state !== undefined) await removeWorkspace(state.directory);
  },
});

async function assertSolution(directory: string): Promise<void> {
  try {
    await readInside(directory, 'solution.mjs');
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    throw new ToolError('there is no solution.mjs to test. Write it first', { cause: error });
  }
}
