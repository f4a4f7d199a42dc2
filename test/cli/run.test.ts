import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { environment, step } from 'tiltyard';
import { connect } from 'tiltyard/client';
import { createServer } from 'tiltyard/server';
import { cassette } from 'tiltyard/testing';
import { expect, onTestFinished, test } from 'vitest';
import { newCounts, questions, quiz, serveQuiz } from '../rollouts/quiz.ts';
import { startServer } from '../support/http.ts';
import { startFakeModel } from '../support/model/fake-model.ts';
import { runHere } from '../support/run-here.ts';
import { episodesOf, filesOf, runFolder } from '../support/runs.ts';

const GAME = JSON.stringify({ split: 'test', index: 0, calls: [{ tool: 'submit', input: { answer: '0' } }] });

async function withGame(): Promise<{ out: string; game: string }> {
  const out = runFolder();
  const game = join(dirname(out), 'game.json');
  await writeFile(game, GAME);
  return { out, game };
}

test('Q5: a run without a key ends with a summary, a report and exit code 0', async () => {
  const target = await serveQuiz(questions(5));
  const out = runFolder();
  const { code, stdout, output } = await runHere(['run', target, '--policy', 'random', '--n', '3', '--out', out]);
  expect(code, output).toBe(0);
  expect(stdout).toContain('quiz, split test, 3 tasks: random');
  expect(stdout).toMatch(/coverage {2}100\.0 % {2}\(3 of 3 episodes count\)/);
  const report = await readFile(join(out, 'report.html'), 'utf8');
  for (const part of [
    'Rewards of the episodes that count',
    'How attempts ended',
    'Time: how long',
    'Tasks, the lowest',
  ])
    expect(report).toContain(part);
  expect(report).not.toMatch(/<script|<img|<link|NaN|Infinity|undefined/i);
});

test("Q11: episodes are played over the lean client: the platform's takes longer for a request than the server", async () => {
  const agents = new Set<string | undefined>();
  const server = await createServer({ environments: [quiz(questions(2))], logger: false });
  onTestFinished(() => server.close());
  const target = await server.listen();
  server.app.server.on('request', ({ headers }) => void agents.add(headers['user-agent']));
  const { code, output } = await runHere(['run', target, '--policy', 'random', '--out', runFolder()]);
  expect(code, output).toBe(0);
  // What the platform sends is 'node'.
  expect([...agents]).toEqual([undefined]);
});

test.each([
  [['--n', '50'], "Split 'test' has only 3 tasks: the run has 3, not 50.\n"],
  [['--n', '2', '--from', '2', '--k', '2'], "Split 'test' has only 1 task from task 2 on: the run has 1, not 2.\n"],
  [['--n', '3'], undefined],
  [['--from', '1'], undefined],
  [['--indices', '0,1'], undefined],
])('run %j of a split with 3 tasks says if these are fewer', async (args, words) => {
  const target = await serveQuiz(questions(3));
  const { code, stdout, output } = await runHere(['run', target, '--policy', 'random', ...args, '--out', runFolder()]);
  expect(code, output).toBe(0);
  if (words === undefined) expect(output).not.toContain('has only');
  else expect(output).toContain(words);
  expect(stdout).not.toContain('has only');
});

test('± is the standard error wherever it is shown, and says so', async () => {
  const target = await serveQuiz(questions(4));
  const [one, two] = [await withGame(), await withGame()];
  const play = ({ out, game }: typeof one) => runHere(['run', target, '--policy', game, '--n', '4', '--out', out]);
  const shown = '0.2500 ± 0.2500 (standard error), 95 %: 0.0456 to 0.6994 (Wilson)';
  expect((await play(one)).stdout).toContain(`reward    ${shown}\n`);
  expect(await readFile(join(one.out, 'report.html'), 'utf8')).toContain(`Mean reward ${shown}`);
  await play(two);
  const { stdout } = await runHere(['runs', 'compare', one.out, two.out]);
  expect(stdout).toContain('0.0000 ± 0.0000 (standard error), 95 %: 0.0000 to 0.0000\n');
});

test.each([
  [1, '1.0000 ± 0.0000 (standard error), 95 %: 0.3424 to 1.0000 (Wilson)'],
  [0.5, '0.5000 ± 0.0000 (standard error), no interval: all tasks scored the same'],
])('tasks that all scored %d in several episodes do not make it certain', async (reward, shown) => {
  const same = environment({
    name: 'same',
    splits: { test: [{ n: 1 }, { n: 2 }] },
    prompt: () => 'Go.',
    tools: { go: { run: () => step('Gone.', { reward, finished: true }) } },
  });
  const server = await createServer({ environments: [same], logger: false });
  onTestFinished(() => server.close());
  const out = runFolder();
  const { stdout } = await runHere(['run', await server.listen(), '--policy', 'random', '--k', '3', '--out', out]);
  expect(stdout).toContain(`reward    ${shown}\n`);
  expect((await runHere(['runs', 'show', out])).stdout).toContain(`reward    ${shown}\n`);
  expect(await readFile(join(out, 'report.html'), 'utf8')).toContain(`Mean reward ${shown}`);
});

test('a recorded game is played on its own task, and --json is one line', async () => {
  const target = await serveQuiz(questions(5));
  const { out, game } = await withGame();
  const { code, stdout } = await runHere(['run', target, '--policy', game, '--out', out, '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    folder: out,
    tasks: 1,
    reward: { mean: 1 },
    ending: { status: 'complete' },
  });
});

test('a run continues with --resume without saying again what it is, and refuses to become another', async () => {
  const target = await serveQuiz(questions(4));
  const { out, game } = await withGame();
  await runHere(['run', target, '--policy', game, '--n', '2', '--seed', '5', '--out', out]);
  const again = await runHere(['run', target, '--policy', game, '--n', '2', '--out', out]);
  expect(again).toMatchObject({ code: 2, output: expect.stringContaining('--resume') });
  expect((await runHere(['run', target, '--n', '4', '--out', out, '--resume'])).code).toBe(0);
  expect(await episodesOf(out)).toHaveLength(4);
  const other = await runHere(['run', target, '--policy', 'random', '--out', out, '--resume']);
  expect(other).toMatchObject({ code: 2, output: expect.stringContaining('is a run with agent') });
});

test('--fail-under and --min-coverage decide the exit code', async () => {
  const target = await serveQuiz([...questions(1), ...questions(1, { question: 'x', trouble: 'throw' })]);
  const play = async (...options: string[]) => {
    const { out, game } = await withGame();
    return runHere(['run', target, '--policy', game, '--indices', '0-1', '--retries', '0', '--out', out, ...options]);
  };
  expect((await play()).code).toBe(0);
  expect(await play('--min-coverage', '0.95')).toMatchObject({
    code: 1,
    output: expect.stringContaining('coverage 0.5000 is below 0.95'),
  });
  expect((await play('--fail-under', '1')).code).toBe(0);
  expect((await play('--fail-under', '1.5')).code).toBe(1);
});

test('a run takes its options from a file, and the command line wins', async () => {
  const target = await serveQuiz(questions(6));
  const model = await startFakeModel(() => ({ calls: [{ name: 'submit', input: { answer: '0' } }] }));
  const out = runFolder();
  const config = join(dirname(out), 'config.json');
  const options = {
    model: model.name('anthropic'),
    n: 4,
    k: 2,
    timeout: '1m',
    tag: { try: 'first' },
    parameters: { temperature: 0 },
  };
  await writeFile(config, JSON.stringify(options));
  const { code, output } = await runHere(['run', target, '--config', config, '--n', '2', '--out', out]);
  expect(code, output).toBe(0);
  expect(JSON.parse(await readFile(join(out, 'run.json'), 'utf8'))).toMatchObject({
    identity: { limits: { timeoutMs: 60_000 }, parameters: { temperature: 0 } },
    selection: { n: 2, k: 2 },
    tags: { try: 'first' },
  });
  await writeFile(config, JSON.stringify({ ...options, concurency: 3 }));
  expect(await runHere(['run', target, '--config', config, '--out', `${out}-2`])).toMatchObject({
    code: 2,
    output: expect.stringMatching(/unknown option 'concurency'.*Did you mean concurrency/),
  });
});

test.each([
  [['--policy', 'random', '--model', 'openai/x'], /--policy plays without a model/],
  [[], /name who plays/],
  [['--model', 'nonsense'], /is not a model/],
  [['--policy', 'oracle'], /needs a module/],
  [['--policy', 'random', '--indices', '7-3'], /numbers and ranges/],
  [['--policy', 'random', '--from', '99'], /there is no task 99/],
  [['--policy', 'random', '--resume'], /name it with --out/],
  [['--policy', 'random', '--tag', 'x'], /name=value/],
  [['--policy', 'rnadom'], /no policy 'rnadom', nor a file of that name. Choose random, oracle or/],
  [['--policy', 'random', '--split', 'tset'], /there is no split 'tset' \(quiz has: test\)/],
  [['--policy', 'random', '--timeout', '0s'], /must be more than 0/],
] as const)('%s is refused with exit code 2', async (options, message) => {
  const target = await serveQuiz(questions(2));
  const out = (options as readonly string[]).includes('--resume') ? [] : ['--out', runFolder()];
  const { code, output } = await runHere(['run', target, ...options, ...out]);
  expect(output).toMatch(message);
  expect(code).toBe(2);
});

test('a model that needs a key says which variable to set', async () => {
  const target = await serveQuiz(questions(1));
  const { code, output } = await runHere(['run', target, '--model', 'anthropic/x', '--out', runFolder()], {
    ANTHROPIC_API_KEY: '',
  });
  expect(output).toContain('set the environment variable ANTHROPIC_API_KEY');
  expect(code).toBe(2);
});

test('Q8: a wrong key ends the command with what the server said, and how to continue', async () => {
  const target = await serveQuiz(questions(3), newCounts());
  const model = await startFakeModel(() => ({ fault: 'status', status: 401, message: 'no such key' }));
  const { code, output } = await runHere(['run', target, '--model', model.name('google'), '--out', runFolder()]);
  expect(code).toBe(1);
  expect(output).toMatch(/401: no such key[\s\S]*--resume/);
});

test('a run whose budget is spent says so, and how to continue', async () => {
  const target = await serveQuiz(questions(3));
  const model = await startFakeModel(() => ({ calls: [{ name: 'submit', input: { answer: '0' } }] }));
  const args = ['--model', model.name('google'), '--budget-tokens', '1', '--concurrency', '1'];
  const out = runFolder();
  const { code, output } = await runHere(['run', target, ...args, '--out', out]);
  expect(await readFile(join(out, 'report.html'), 'utf8')).toContain('Tokens of attempts');
  expect(output).toMatch(
    /Stopped early: the budget of 1 tokens is spent\. Continue with: .*--resume --budget-tokens <more>/,
  );
  expect(code).toBe(0);
});

test('a resumed run keeps its budget: one that is spent plays nothing until there is more', async () => {
  const target = await serveQuiz(questions(4));
  const usage = { input: 90, output: 10 };
  const model = await startFakeModel(() => ({ calls: [{ name: 'submit', input: { answer: '0' } }], usage }));
  const out = runFolder();
  const resume = (...more: string[]) => runHere(['run', target, '--out', out, '--resume', ...more]);
  const args = ['--model', model.name('google'), '--budget-tokens', '100', '--concurrency', '1', '--retries', '0'];
  await runHere(['run', target, ...args, '--out', out]);
  expect(model.requests).toHaveLength(1);
  expect((await resume()).output).toMatch(/the budget of 100 tokens is spent\. .*--resume --budget-tokens <more>/);
  expect(model.requests).toHaveLength(1);
  expect((await resume('--budget-tokens', '300')).output).toContain('the budget of 300 tokens is spent');
  expect(model.requests).toHaveLength(3);
  // What was given last is what holds from then on.
  expect((await resume()).output).toContain('the budget of 300 tokens is spent');
  expect(await resume('--min-coverage', '1')).toMatchObject({
    code: 1,
    output: expect.stringMatching(/coverage 0\.7500 is below 1\. .*--resume --budget-tokens <more>/),
  });
  expect(model.requests).toHaveLength(3);
  expect((await resume('--budget-tokens', '1000')).output).not.toContain('Stopped early');
  expect(model.requests).toHaveLength(4);
});

test('a run with a budget in dollars is not resumed with another model, whatever is known of its price', async () => {
  const target = await serveQuiz(questions(2));
  const model = await startFakeModel(() => ({ calls: [{ name: 'submit', input: { answer: '0' } }] }));
  const out = runFolder();
  const prices = join(dirname(out), 'prices.json');
  const [google, anthropic] = [model.name('google'), model.name('anthropic')];
  await writeFile(prices, JSON.stringify({ [google]: { input: 1, output: 1 } }));
  const args = ['--model', google, '--budget-usd', '5', '--prices', prices, '--n', '1'];
  const first = await runHere(['run', target, ...args, '--out', out]);
  expect(first.code, first.output).toBe(0);
  const played = model.requests.length;
  const other = await runHere(['run', target, '--model', anthropic, '--n', '2', '--out', out, '--resume']);
  expect(other).toMatchObject({ code: 2, output: expect.stringContaining('is a run with model') });
  expect(model.requests).toHaveLength(played);
});

test('tokens that are estimated are marked as such wherever they are shown', async () => {
  const calls = [{ name: 'submit', input: { answer: '0' } }];
  const target = await serveQuiz(questions(2));
  const play = async (isUncounted: boolean) => {
    const model = await startFakeModel(() => ({ calls, isUncounted }));
    const out = runFolder();
    const played = await runHere(['run', target, '--model', model.name('openai-chat'), '--out', out]);
    const shown = await runHere(['runs', 'show', out]);
    return [played.stdout, shown.stdout, await readFile(join(out, 'report.html'), 'utf8')];
  };
  const [summary, shown, report] = await play(true);
  for (const text of [summary, shown]) expect(text).toMatch(/tokens in, \d+ out \(estimated\)/);
  expect(report).toContain('<span>tokens (estimated)</span>');
  expect(report).toContain('Tokens of attempts (estimated)');
  expect((await play(false)).join()).not.toContain('estimated');
});

test('Q4: records of a run are served from its folder', async () => {
  const target = await serveQuiz(questions(2));
  const { out, game } = await withGame();
  await runHere(['run', target, '--policy', game, '--n', '2', '--out', out]);
  await using server = await cassette(out);
  const session = await connect(server.url).session({ split: 'test', index: 0 });
  expect(await session.call('submit', { answer: '0' })).toMatchObject({ text: 'Right.', reward: 1 });
  await session.close();
});

test('runs are shown, compared, exported and scored again', async () => {
  const target = await serveQuiz(questions(3));
  const [one, two] = [await withGame(), await withGame()];
  for (const { out, game } of [one, two]) await runHere(['run', target, '--policy', game, '--n', '3', '--out', out]);
  const shown = await runHere(['runs', 'show', one.out, two.out, '--json']);
  expect(
    shown.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).tasks),
  ).toEqual([3, 3]);
  const compared = await runHere(['runs', 'compare', one.out, two.out]);
  expect(compared).toMatchObject({ code: 0, stdout: expect.stringContaining('0 better, 0 worse, 3 the same') });
  const file = `${one.out}.jsonl`;
  const exported = await runHere([
    'runs',
    'export',
    one.out,
    '--format',
    'openai',
    '--out',
    file,
    '--min-reward',
    '1',
    '--json',
  ]);
  expect(JSON.parse(exported.stdout)).toEqual({ format: 'openai', out: file, episodes: 1 });
  expect((await runHere(['runs', 'export', one.out, '--format', 'word', '--out', file])).code).toBe(2);
  const nowhere = join(one.out, 'nowhere', 'x');
  for (const format of ['openai', 'huggingface', 'inspect', 'parquet', 'atif'])
    expect(await runHere(['runs', 'export', one.out, '--format', format, '--out', nowhere])).toMatchObject({
      code: 2,
      output: expect.stringContaining('does not exist. Make this folder first'),
    });
  const before = await filesOf(one.out);
  expect(await runHere(['runs', 'rescore', one.out, target])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^3 episodes scored again, 0 differ\. .* Coverage 100\.0 % \(3 of 3 episodes count both times\)\.$/m,
    ),
  });
  const other = await serveQuiz(questions(3).map((task) => ({ ...task, answer: 'another' })));
  expect(await runHere(['runs', 'rescore', one.out, other])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('reward 0, recorded 1'),
  });
  expect(await filesOf(one.out)).toEqual(before);
});

test('runs rescore lists what differs in the order of the tasks, whichever ends first', async () => {
  let arrive = () => {};
  const last = new Promise<void>((resolve) => (arrive = resolve));
  let reward = 1;
  const race = environment({
    name: 'race',
    splits: { test: [{ n: 0 }, { n: 1 }, { n: 2 }] },
    prompt: () => 'Go.',
    tools: {
      go: {
        async run(_, { task }) {
          if (task.n === 2) arrive();
          if (task.n === 0) await last;
          return step('There.', { reward, finished: true });
        },
      },
    },
  });
  const { url } = await startServer({ environments: [race] });
  const out = runFolder();
  expect((await runHere(['run', url, '--policy', 'random', '--out', out])).code).toBe(0);
  reward = 0;
  const { stdout } = await runHere(['runs', 'rescore', out, url]);
  expect([...new Set(stdout.match(/^task \d/gm))]).toEqual(['task 0', 'task 1', 'task 2']);
});

test('a damaged run does not hide the others in its folder, and is named', async () => {
  const target = await serveQuiz(questions(1));
  const folder = dirname(runFolder());
  const [first, second, third] = [join(folder, 'first'), join(folder, 'second'), join(folder, 'third')];
  for (const out of [first, third]) await runHere(['run', target, '--policy', 'random', '--out', out]);
  await mkdir(second);
  await writeFile(join(second, 'run.json'), '{"half');
  const shown = await runHere(['runs', 'show', folder]);
  expect(shown.stdout.split('\n').filter((line) => line.startsWith(folder))).toEqual([first, third]);
  expect(shown.output).toContain(second);
  expect(shown).toMatchObject({ code: 1, output: expect.stringContaining('1 of 3 runs cannot be read') });
  const lines = await runHere(['runs', 'show', folder, '--json']);
  expect(lines.code).toBe(1);
  expect(
    lines.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).folder),
  ).toEqual([first, third]);
  expect((await runHere(['runs', 'show', second])).code).toBe(2);
});

test('runs that are shown say which they are, and a folder of runs stands for all of them', async () => {
  const target = await serveQuiz(questions(1));
  const folder = dirname(runFolder());
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  await runHere(['run', target, '--policy', 'random', '--out', second]);
  await runHere(['run', target, '--policy', 'random', '--out', first, '--tag', 'try=1', '--tag', 'by=Ada']);
  const headings = (text: string) => text.split('\n').filter((line) => line.startsWith(folder));
  const named = await runHere(['runs', 'show', second, first]);
  expect(headings(named.stdout)).toEqual([second, `${first}  try=1 by=Ada`]);
  await mkdir(join(folder, 'notes'));
  const all = await runHere(['runs', 'show', folder]);
  expect(all.code, all.output).toBe(0);
  expect(headings(all.stdout)).toEqual([`${first}  try=1 by=Ada`, second]);
  const lines = (await runHere(['runs', 'show', folder, '--json'])).stdout.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { folder: first, tags: { try: '1', by: 'Ada' } },
    { folder: second, tags: {} },
  ]);
  const notes = join(folder, 'notes');
  expect(await runHere(['runs', 'show', notes])).toMatchObject({
    code: 2,
    output: `tiltyard: ${notes} is not the folder of a run (it has no run.json), and has no runs in it\n`,
  });
});

test('a rescore without a secret that is required says which, and how to give it; the run stays as it is', async () => {
  const { out, game } = await withGame();
  await runHere(['run', await serveQuiz(questions(2)), '--policy', game, '--n', '2', '--out', out]);
  const before = await filesOf(out);
  const locked = { ...quiz(questions(2)), requirements: { secrets: ['QUIZ_KEY'] } };
  await using server = await createServer({ environments: [locked], logger: false });
  const url = await server.listen();
  expect(await runHere(['runs', 'rescore', out, url])).toEqual({
    code: 1,
    stdout: '',
    output:
      "tiltyard: environment 'quiz' requires the secret QUIZ_KEY. Set the environment variable QUIZ_KEY and add --secret QUIZ_KEY\n",
  });
  const given = await runHere(['runs', 'rescore', out, url, '--secret', 'QUIZ_KEY'], { QUIZ_KEY: 'sk-very-secret' });
  expect(given).toMatchObject({ code: 0, stdout: expect.stringContaining('2 episodes scored again, 0 differ') });
  expect(await filesOf(out)).toEqual(before);
});
