import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { environment } from 'tiltyard';
import { createServer } from 'tiltyard/server';
import { expect, onTestFinished, test } from 'vitest';
import { newCounts, questions, serveQuiz } from '../rollouts/quiz.ts';
import { run, untilPrinted } from '../support/command.ts';
import { startFakeModel } from '../support/model/fake-model.ts';
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
  const command = run(['run', GSM8K, '--policy', 'random', '--n', '20', '--out', runFolder()]);
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
    runFolder(),
    '--fail-under',
    '1',
  ]);
  expect(await command.exit, command.output()).toBe(0);
});

test('Q9: Ctrl-C deletes all sessions and leaves a folder that resumes', async () => {
  const counts = newCounts();
  const target = await serveQuiz(questions(6, { slow: true }), counts);
  const out = runFolder();
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

test('Q9: a second Ctrl-C exits at once, whatever the server takes for the first', async () => {
  let [told, release] = [() => {}, () => {}];
  const torn = new Promise<void>((resolve) => {
    told = resolve;
  });
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow = environment({
    name: 'slow',
    splits: { test: [{ id: 0 }] },
    prompt: () => 'Go.',
    tools: { look: { run: () => 'x' } },
    teardown() {
      told();
      return held;
    },
  });
  const server = await createServer({ environments: [slow], logger: false });
  onTestFinished(async () => {
    release();
    await server.close();
  });
  const out = runFolder();
  const file = join(dirname(out), 'agent.mjs');
  await writeFile(
    file,
    "export const agent = async () => {\n  process.stderr.write('playing\\n');\n  await new Promise(() => {});\n};\n",
  );
  const command = run(['run', await server.listen(), '--agent', file, '--out', out]);
  await untilPrinted(command, /playing/);
  command.child.kill('SIGINT');
  await torn;
  // Soon after the first it would be taken for its echo.
  const pressing = setInterval(() => command.child.kill('SIGINT'), 600);
  try {
    expect(await command.exit).toBe(130);
  } finally {
    clearInterval(pressing);
  }
  // It did not wait: the session is there, nothing is told of the run, and its lock is left to be taken over.
  expect(command.output()).not.toContain('interrupted;');
  expect([...(await filesOf(out)).keys()]).toContain('lock');
});

/** A run of which one episode has failed, one has finished, and one goes on until it is released. */
async function stayingRun(): Promise<{ args: string[]; release: () => void }> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const submit = { calls: [{ name: 'submit', input: { answer: '1' } }], usage: { input: 900_000, output: 100_000 } };
  const target = await serveQuiz([...questions(1, { trouble: 'throw' }), ...questions(3).slice(1)]);
  const model = await startFakeModel(async ({ number }) => {
    if (number === 2) await released;
    return submit;
  });
  const out = runFolder();
  const prices = join(dirname(out), 'prices.json');
  await writeFile(prices, JSON.stringify({ fake: { input: 1, output: 3.5 } }));
  const played = ['--model', model.name('anthropic'), '--prices', prices, '--concurrency', '1', '--retries', '0'];
  return { args: ['run', target, ...played, '--out', out], release };
}

test('Q13: a terminal shows failures by kind, tokens and cost', async () => {
  const { args, release } = await stayingRun();
  const screen = runInTerminal(args);
  await screen.until(/reward 1\.000\s+2,000,000 tokens, \$2\.50 {3}1 of 1 open/);
  await screen.until(/failures: env_error 1/);
  release();
  await screen.until(/2 of 3 episodes count/);
  expect(await screen.exit).toBe(0);
});

test('Q13: where there is no terminal, the same is a plain line now and then', async () => {
  const { args, release } = await stayingRun();
  const command = run(args);
  await untilPrinted(
    command,
    /^1\/3 episodes, [\d.]+\/s, .* left, reward 1\.000 2,000,000 tokens, \$2\.50 {3}failures: env_error 1$/m,
  );
  release();
  expect(await command.exit, command.output()).toBe(0);
  expect(command.output()).not.toContain('\x1b');
});

test('Q13: a terminal shows progress, rate, reward so far and what is open, and then only the summary', async () => {
  const target = await serveQuiz(questions(8, { slow: true }));
  const out = runFolder();
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
