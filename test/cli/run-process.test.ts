import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { newCounts, questions, serveQuiz } from '../rollouts/quiz.ts';
import { run, untilPrinted } from '../support/command.ts';
import { runInTerminal } from '../support/pty.ts';
import { episodesOf, filesOf, runFolder } from '../support/runs.ts';

const GSM8K = 'examples/gsm8k/environment.ts';

/** An agent that says when it plays, and waits for the orders of its task. */
async function waitingAgent(out: string, ms: number): Promise<string> {
  const file = join(dirname(out), 'agent.mjs');
  await writeFile(
    file,
    `export const agent = async ({ call }) => {
  process.stderr.write('playing\\n');
  await call('wait', { ms: ${ms} });
  await call('submit', { answer: '0' });
};
`,
  );
  return file;
}

test('Q5: tiltyard run examples/gsm8k/environment.ts --policy random --n 20 ends well', async () => {
  const command = run(['run', GSM8K, '--policy', 'random', '--n', '20', '--out', await runFolder()]);
  expect(await command.exit, command.output()).toBe(0);
  expect(command.stdout()).toContain('20 of 20 episodes count');
});

test('Q5: the oracle of a module earns the greatest reward', async () => {
  const command = run([
    'run',
    GSM8K,
    '--policy',
    'oracle',
    '--split',
    'test',
    '--out',
    await runFolder(),
    '--fail-under',
    '1',
  ]);
  expect(await command.exit, command.output()).toBe(0);
});

test('Q9: Ctrl-C deletes all sessions and leaves a folder that resumes', async () => {
  const counts = newCounts();
  const target = await serveQuiz(questions(6, { slow: true }), counts);
  const out = await runFolder();
  const agent = await waitingAgent(out, 60_000);
  const args = ['run', target, '--agent', agent, '--concurrency', '3', '--out', out];
  const command = run(args);
  await untilPrinted(command, /(?:playing\s+){3}/);
  command.child.kill('SIGINT');
  expect(await command.exit).toBe(130);
  expect(counts.open).toBe(0);
  expect(command.output()).toMatch(/interrupted, with 6 episodes left.*--resume/);
  expect([...(await filesOf(out)).keys()]).not.toContain('lock');
  await waitingAgent(out, 0);
  const again = run([...args, '--resume']);
  expect(await again.exit, again.output()).toBe(0);
  expect((await episodesOf(out)).filter(({ reward }) => reward !== null)).toHaveLength(6);
});

test('Q9: a second Ctrl-C exits at once', async () => {
  const target = await serveQuiz(questions(1, { slow: true }));
  const out = await runFolder();
  const file = join(dirname(out), 'agent.mjs');
  // Whatever the signal says, the first Ctrl-C has a process to wait for: its exit is held up by this.
  await writeFile(
    file,
    `process.on('beforeExit', () => {});\nsetInterval(() => {}, 1000);\nexport const agent = async () => {\n  process.stderr.write('playing\\n');\n  await new Promise(() => {});\n};\n`,
  );
  const command = run(['run', target, '--agent', file, '--out', out]);
  await untilPrinted(command, /playing/);
  command.child.kill('SIGINT');
  const pressing = setInterval(() => command.child.kill('SIGINT'), 600);
  try {
    expect(await command.exit).not.toBe(0);
  } finally {
    clearInterval(pressing);
  }
});

test('Q13: a terminal shows progress, rate, reward so far and what is open, and then only the summary', async () => {
  const target = await serveQuiz(questions(8, { slow: true }));
  const out = await runFolder();
  const screen = runInTerminal([
    'run',
    target,
    '--agent',
    await waitingAgent(out, 400),
    '--concurrency',
    '2',
    '--out',
    out,
  ]);
  await screen.until(/\[#+-+\] \d\/8 episodes, [\d.]+\/s, .* left/);
  await screen.until(/reward 0\.\d{3} ± 0\.\d{3}/);
  await screen.until(/2 of 2 open/);
  await screen.until(/8 of 8 episodes count/);
  expect(await screen.exit).toBe(0);
});
