import { compareRuns, rollouts } from 'tiltyard/rollouts';
import { expect, test } from 'vitest';
import { runFolder } from '../support/runs.ts';
import { type QuizTask, questions, serveQuiz, solve } from './quiz.ts';

async function runWith(tasks: readonly QuizTask[], answer?: string): Promise<string> {
  const out = await runFolder();
  const agent = answer === undefined ? { solve } : { calls: [{ tool: 'submit', input: { answer } }] };
  await rollouts({ target: await serveQuiz(tasks), out, agent, retries: 0 });
  return out;
}

test('Q14: two runs are compared task by task, on tasks that count in both', async () => {
  const tasks = questions(8);
  const [weak, strong] = [await runWith(tasks, '3'), await runWith(tasks.slice(0, 7))];
  expect(await compareRuns(weak, strong)).toMatchObject({
    tasks: 7,
    leftOut: 1,
    wins: 6,
    losses: 0,
    ties: 1,
    difference: expect.closeTo(6 / 7, 12),
    mcNemar: expect.closeTo(2 * 0.5 ** 6, 12),
    first: { coverage: 1 },
  });
});

test('Q14: runs on other tasks are not compared', async () => {
  const tasks = questions(2);
  const other = tasks.map((task, index) => (index === 1 ? { ...task, question: 'another?' } : task));
  await expect(compareRuns(await runWith(tasks), await runWith(other))).rejects.toThrow(/task 1 is not the same/);
});
