import { environment, step, ToolError } from 'tiltyard';
import { z } from 'zod';
import { parseNumber } from './number.ts';
import type { WordProblem } from './task.ts';
import { testTasks } from './test-tasks.ts';
import { trainTasks } from './train-tasks.ts';

/** Grade-school word problems: one number is asked for, and one number is checked. */
export const gsm8k = environment({
  name: 'gsm8k',
  task: z.object({ question: z.string(), answer: z.number(), hint: z.string().optional() }),
  splits: { train: trainTasks, test: testTasks },
  durability: 'replay',
  setup: () => ({ hints: 0 }),
  prompt: ({ task }) => `${task.question}\n\nThink it through, then call submit with the number only.`,
  tools: {
    submit: {
      description: 'Submit your final answer. The episode ends.',
      input: z.object({ answer: z.string().describe('the number only, such as 72 or 4.50') }),
      run({ answer }, { task, state }) {
        const number = parseNumber(answer);
        if (number === undefined) {
          throw new ToolError(`'${answer.slice(0, 100)}' is not a number. Send the number only, such as 72 or 4.50`);
        }
        const right = number === task.answer;
        return step(right ? 'Correct!' : 'Incorrect.', {
          reward: right ? 1 : 0,
          finished: true,
          metadata: { hints: state.hints },
        });
      },
    },
    hint: {
      description: 'Read a hint. It costs nothing.',
      shared: false,
      run({}, { task, state }) {
        state.hints += 1;
        return task.hint ?? 'There is no hint.';
      },
    },
  },
  taskTools: ({ task }) => (task.hint === undefined ? [] : ['hint']),
});

/** The best calls for a task: `tiltyard run --policy oracle` shows with them that every task can be solved. */
export function solve(task: WordProblem): { tool: string; input: { answer: string } }[] {
  return [{ tool: 'submit', input: { answer: String(task.answer) } }];
}
