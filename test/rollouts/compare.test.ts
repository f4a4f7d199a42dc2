import { compareRuns, type RolloutOptions, rollouts } from 'tiltyard/rollouts';
import { expect, test } from 'vitest';
import { runFolder } from '../support/runs.ts';
import { type QuizTask, questions, serveQuiz, solve } from './quiz.ts';

async function runWith(tasks: readonly QuizTask[], answer?: string): Promise<string> {
  const out = runFolder();
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

test('Q14: --cluster counts tasks with the same value as one, and bounds say what the missing could change', async () => {
  const tasks = questions(8).map((task, at) => ({ ...task, topic: at < 4 ? 'a' : at < 6 ? 'b' : 'c' }));
  const broken = { ...tasks[0], question: 'broken', trouble: 'throw', topic: 'c' } as QuizTask;
  const target = await serveQuiz([...tasks, broken]);
  // Right in all of topic a, and in one of the others.
  const agent: RolloutOptions['agent'] = async ({ text, call }) => {
    const [number = ''] = /\d/.exec(text) ?? [];
    await call('submit', { answer: Number(number) < 5 ? number : 'wrong' });
  };
  const run = async (options: Partial<RolloutOptions>) =>
    (await rollouts({ target, out: runFolder(), agent, retries: 0, ...options })).summary;
  const [plain, clustered] = [await run({}), await run({ cluster: 'topic' })];
  expect(clustered.reward?.mean).toBe(5 / 8);
  expect(plain.reward?.interval?.method).toBe('wilson');
  expect(clustered.reward?.interval?.method).toBe('t');
  // Sums of a's, b's and c's distances from the mean are 1.5, -0.25 and -1.25.
  expect(clustered.reward?.standardError).toBeCloseTo(Math.sqrt(1.5 * (1.5 ** 2 + 0.25 ** 2 + 1.25 ** 2)) / 8, 12);
  expect(plain.reward?.standardError).not.toBeCloseTo(clustered.reward?.standardError ?? 0, 3);
  expect(plain).toMatchObject({ coverage: 8 / 9, bounds: { least: 5 / 9, greatest: 6 / 9 } });
});

test('Q14: runs on other tasks are not compared', async () => {
  const tasks = questions(2);
  const other = tasks.map((task, index) => (index === 1 ? { ...task, question: 'another?' } : task));
  await expect(compareRuns(await runWith(tasks), await runWith(other))).rejects.toThrow(/task 1 is not the same/);
});
