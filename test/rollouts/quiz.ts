import { type Environment, environment, image, SetupError, step, ToolError, text } from 'tiltyard';
import { createServer } from 'tiltyard/server';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

/** What can go wrong in an episode, as its task orders. */
export type Trouble = 'setup' | 'throw' | 'timeout' | 'unpaid' | 'first-time';

const Task = z.object({
  question: z.string(),
  answer: z.string(),
  trouble: z.string().optional(),
  topic: z.string().optional(),
  /** Has the tools that take time. */
  slow: z.boolean().optional(),
});

/** A task of the quiz. */
export type QuizTask = z.infer<typeof Task>;

/** The smallest picture there is. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Counts that tests look at. */
export interface QuizCounts {
  open: number;
  mostOpen: number;
  setups: number;
  readonly inputs: unknown[];
}

/** A quiz, whose tasks say what goes wrong in them. */
export function quiz(tasks: readonly QuizTask[], counts: QuizCounts = newCounts()): Environment {
  const seen = new Set<string>();
  return environment({
    name: 'quiz',
    task: Task,
    splits: { test: tasks },
    setup: ({ task }) => {
      counts.setups += 1;
      if (task.trouble === 'setup') throw new SetupError('no luck', { status: 503 });
      if (task.trouble === 'first-time' && !seen.has(task.question)) {
        seen.add(task.question);
        throw new Error('the first time never works');
      }
      counts.open += 1;
      counts.mostOpen = Math.max(counts.mostOpen, counts.open);
      return { parts: 0 };
    },
    prompt: ({ task }) => task.question,
    tools: {
      submit: {
        description: 'Answer.',
        input: z.object({ answer: z.string() }),
        run({ answer }, { task }) {
          counts.inputs.push(answer);
          if (task.trouble === 'throw') throw new Error('broken');
          if (task.trouble === 'unpaid') return step('Noted.', { finished: true });
          return step(answer === task.answer ? 'Right.' : 'Wrong.', {
            reward: answer === task.answer ? 1 : 0,
            finished: true,
          });
        },
      },
      part: {
        description: 'A small reward.',
        run: ({}, { state }) => {
          state.parts += 1;
          return step(`part ${state.parts}`, { reward: 0.25 });
        },
      },
      look: { description: 'A picture.', run: () => [text('a dot:'), image(DOT, 'image/png')] },
      refuse: {
        description: 'Says no.',
        run: () => {
          throw new ToolError('not now');
        },
      },
      hang: {
        description: 'Takes too long.',
        shared: false,
        timeoutMs: 50,
        run: ({}, { signal }) =>
          new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('late'))),
      },
      wait: {
        description: 'Waits a while.',
        shared: false,
        input: z.object({ ms: z.number() }),
        run: ({ ms }, { signal }) =>
          new Promise<string>((resolve) => {
            setTimeout(() => resolve('waited'), ms).unref();
            signal.addEventListener('abort', () => resolve('given up'));
          }),
      },
    },
    taskTools: ({ task }) => (task.slow === true ? (['hang', 'wait'] as const) : []),
    teardown: () => {
      counts.open -= 1;
    },
  });
}

/** Counts that begin at nothing. */
export function newCounts(): QuizCounts {
  return { open: 0, mostOpen: 0, setups: 0, inputs: [] };
}

/** Questions whose answer is their number. */
export function questions(count: number, more: Partial<QuizTask> = {}): QuizTask[] {
  return Array.from({ length: count }, (_, index) => ({
    question: `number ${index}?`,
    answer: String(index),
    ...more,
  }));
}

/** Serves a quiz for one test. */
export async function serveQuiz(tasks: readonly QuizTask[], counts?: QuizCounts): Promise<string> {
  const server = await createServer({ environments: [quiz(tasks, counts)], logger: false });
  onTestFinished(() => server.close());
  return server.listen();
}

/** An oracle for it. */
export function solve(task: object): { tool: string; input: { answer: string } }[] {
  return [{ tool: 'submit', input: { answer: (task as QuizTask).answer } }];
}
