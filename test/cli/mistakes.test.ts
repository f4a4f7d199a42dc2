import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { tool, toolkit } from 'tiltyard';
import { createServer } from 'tiltyard/server';
import { expect, test } from 'vitest';
import { questions, serveQuiz } from '../rollouts/quiz.ts';
import { runHere } from '../support/run-here.ts';
import { filesOf, runFolder } from '../support/runs.ts';

test.each([
  [['tasks', 'localhost:99999'], "'localhost:99999' is not a valid URL"],
  [['tasks', 'http://'], "'http://' is not the URL of a server"],
  [['tools', 'ftp://example.org'], "'ftp://example.org' is not the URL of a server"],
  [['run', 'localhost:8080', '--policy', 'clever'], "there is no policy 'clever', nor a file of that name"],
  [['run', 'localhost:8080', '--resume', '--out', 'nothing'], 'there is no run in nothing to continue'],
  [['serve', 'no.ts', '--cluster', 'nats://localhost:1', '--node-name', 'a b'], '--node-name must be 1 to 64 letters'],
  [['check', 'localhost:8080', '--junit', 'src'], '--junit: src is a folder'],
  [['check', 'localhost:8080', '--write-baseline', 'nowhere/b.json'], '--write-baseline: nowhere/b.json cannot be'],
  [['bench', 'localhost:8080', '--html', 'nowhere/report.html'], '--html: nowhere/report.html cannot be written'],
])('tiltyard %j is refused before anything is done', async (args, words) => {
  expect(await runHere(args)).toMatchObject({ code: 2, output: expect.stringContaining(words) });
});

const RECORD = 'Name a record: play --record, serve --record and run write them (*.jsonl)';
const RUN = 'Name the folder of a run';

test.each([
  [['replay', 'nope.jsonl', 'localhost:1'], `nope.jsonl does not exist. ${RECORD}`],
  [['replay', 'src', 'localhost:1'], `src is a folder. ${RECORD}`],
  [['play', 'localhost:1', '--script', 'nope.jsonl'], `nope.jsonl does not exist. ${RECORD}`],
  [['mock', 'nope'], `nope does not exist. ${RECORD}`],
  [['runs', 'show', 'nope'], `nope does not exist. ${RUN}, or one with runs in it`],
  [['runs', 'export', 'nope', '--format', 'openai', '--out', 'x.jsonl'], `nope does not exist. ${RUN}`],
  [['runs', 'compare', 'nope', 'nada'], `nope does not exist. ${RUN}`],
  [['runs', 'rescore', 'nope', 'localhost:1'], `nope does not exist. ${RUN}`],
  [['check', 'localhost:1', '--baseline', 'nope.json'], 'the baseline nope.json does not exist. Create one with'],
  [['run', 'localhost:1', '--config', 'nope.json'], 'nope.json does not exist. Name a file with a JSON object in it'],
])('tiltyard %j says what does not exist, and what to name', async (args, words) => {
  const { code, output } = await runHere(args);
  expect(output).toContain(`tiltyard: ${words}`);
  expect(output).not.toContain('ENOENT');
  expect(code).toBe(2);
});

test.each([
  [['help', 'foo'], "error: unknown command 'foo'\nRun with"],
  [['help', 'sevre'], "error: unknown command 'sevre'\n(Did you mean serve?)"],
  [['help', 'runs', 'shwo'], "error: unknown command 'shwo'\n(Did you mean show?)"],
  [['runs', 'help', 'nope'], "error: unknown command 'nope'"],
  [['sevre', '--help'], "error: unknown command 'sevre'\n(Did you mean serve?)"],
])('tiltyard %j says that there is no such command', async (args, words) => {
  expect(await runHere(args)).toMatchObject({ code: 2, output: expect.stringContaining(words) });
});

test.each([
  [['help'], 'Usage: tiltyard [options] [command]'],
  [['help', 'serve'], 'Usage: tiltyard serve [options] <module...>'],
  [['help', 'runs'], 'Usage: tiltyard runs [options] [command]'],
  [['help', 'runs', 'show'], 'Usage: tiltyard runs show [options] <folder...>'],
  [['runs', 'help', 'show'], 'Usage: tiltyard runs show [options] <folder...>'],
  [['help', 'studio', 'export'], 'Usage: tiltyard studio export [options] <folder...>'],
  [['studio', 'environment.ts', '--help'], 'Usage: tiltyard studio [options] [command] [source...]'],
])('tiltyard %j shows the help of what it names', async (args, words) => {
  expect(await runHere(args)).toMatchObject({ code: 0, stdout: expect.stringContaining(words) });
});

test.each(['run', 'check', 'bench'])(
  '%s --help says how a time is written, as does the refusal of a wrong one',
  async (name) => {
    const help = await runHere([name, '--help']);
    expect(help.output.replace(/\s+/g, ' ')).toContain('500ms, 10s, 2m or 1h; without a unit, seconds.');
    const wrong = await runHere([name, 'localhost:8080', '--timeout', '5 days']);
    expect(wrong).toMatchObject({
      code: 2,
      output: expect.stringContaining('500ms, 10s, 2m or 1h; without a unit, seconds.'),
    });
    // Gets as far as the server, which is not there.
    const bare = await runHere([
      name,
      'localhost:1',
      '--timeout',
      '5',
      ...(name === 'run' ? ['--policy', 'random', '--out', runFolder()] : []),
    ]);
    expect(bare.output).not.toContain('without a unit');
  },
);

test('a wrong size is told how one is written', async () => {
  const { code, output } = await runHere(['serve', 'no.ts', '--record-max', 'much']);
  expect({ code, output }).toMatchObject({
    code: 2,
    output: expect.stringContaining('500MB or 10GB; without a unit, bytes.'),
  });
});

test('serve says that a URL is not a module', async () => {
  expect(await runHere(['serve', 'http://localhost:8080'])).toMatchObject({
    code: 1,
    output: expect.stringContaining('http://localhost:8080 is a URL. Name a'),
  });
});

test('a run on a server of toolkits alone says what to call instead', async () => {
  const kit = toolkit({ name: 'Calculator', tools: { Add: tool({ run: () => 3 }) } });
  await using server = await createServer({ toolkits: [kit], logger: false });
  const target = await server.listen();
  const { code, output } = await runHere(['run', target, '--policy', 'random', '--out', runFolder()]);
  expect({ code, output }).toMatchObject({ code: 1, output: expect.stringContaining('tiltyard call') });
});

test('bench says that a server of environments does not speak OXP', async () => {
  const target = await serveQuiz(questions(1));
  const { code, output } = await runHere(['bench', target, '--protocol', 'oxp']);
  expect({ code, output }).toMatchObject({ code: 1, output: expect.stringContaining('does not speak OXP') });
});

test('a run, an export and a site that cannot be written are refused in one line, and change nothing', async () => {
  const target = await serveQuiz(questions(2));
  const run = runFolder();
  const file = join(dirname(run), 'file');
  await writeFile(file, '');
  expect((await runHere(['run', target, '--policy', 'random', '--out', run])).code).toBe(0);
  const inside = join(file, 'out');
  for (const args of [
    ['run', target, '--policy', 'random', '--out', inside],
    ['run', target, '--policy', 'random', '--out', file],
    ['runs', 'export', run, '--format', 'openai', '--out', inside],
    ['runs', 'export', run, '--format', 'inspect', '--out', inside],
    ['runs', 'export', run, '--format', 'atif', '--out', inside],
    ['studio', 'export', run, '--out', inside],
    ['studio', 'export', run, '--out', file],
  ]) {
    const { code, output } = await runHere(args);
    expect({ args, code }).toEqual({ args, code: 2 });
    expect(output).toMatch(/^tiltyard: .*file.*\n$/);
  }
  expect((await readdir(dirname(run))).sort()).toEqual(['file', 'run']);
});

test('an export that fails half way leaves no file behind', async () => {
  const target = await serveQuiz(questions(2));
  const run = runFolder();
  await runHere(['run', target, '--policy', 'random', '--out', run]);
  await writeFile(join(run, 'events', '1.1.jsonl'), 'not an event\n');
  const out = join(dirname(run), 'train.jsonl');
  expect((await runHere(['runs', 'export', run, '--format', 'openai', '--out', out])).code).not.toBe(0);
  expect(existsSync(out)).toBe(false);
});

test('a base URL without its scheme is not taken for a part of the name of a model, whose provider would get the key', async () => {
  const target = await serveQuiz(questions(1));
  const out = runFolder();
  const play = (model: string) => runHere(['run', target, '--model', model, '--out', out], { OPENAI_API_KEY: 'key' });
  for (const model of ['openai/qwen@localhost:8000/v1', 'openai-chat/qwen@10.0.0.7:8000', 'openai/qwen@localhost'])
    expect(await play(model)).toMatchObject({ code: 2, output: expect.stringContaining('begins with http://') });
  for (const model of ['openai/qwen@http://', 'openai/qwen@http://[1'])
    expect(await play(model)).toMatchObject({ code: 2, output: expect.stringContaining('is not a valid base URL') });
});

test('a run that is refused leaves no folder behind, and one that is there stays as it is', async () => {
  const target = await serveQuiz(questions(2));
  const out = runFolder();
  const play = (...options: string[]) => runHere(['run', target, '--out', out, ...options], { ANTHROPIC_API_KEY: '' });
  for (const options of [
    ['--model', 'anthropic/claude'],
    ['--policy', 'random', '--indices', '7'],
    ['--policy', 'random', '--budget-usd', '1'],
  ]) {
    expect((await play(...options)).code).toBe(2);
    expect(await readdir(dirname(out))).toEqual([]);
  }
  expect((await play('--policy', 'random')).code).toBe(0);
  const before = await filesOf(out);
  expect((await play('--policy', 'random', '--indices', '7', '--resume')).code).toBe(2);
  expect(await filesOf(out)).toEqual(before);
});
