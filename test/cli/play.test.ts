import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readEpisode } from 'tiltyard/records';
import { afterAll, expect, test } from 'vitest';
import { gridworld } from '../../examples/gridworld/environment.ts';
import { gsm8k } from '../../examples/gsm8k/environment.ts';
import { folderWith, MAIN, run } from '../support/command.ts';
import { json, SERVER_ID, startForeign, stream } from '../support/foreign.ts';
import { shareServer, startServer } from '../support/http.ts';
import { runToEnd } from '../support/program.ts';
import { keys, runInTerminal, type Screen } from '../support/pty.ts';
import { type Ended, runHere } from '../support/run-here.ts';

const GAME = 'examples/gsm8k/game.json';

const examples = shareServer({ environments: [gsm8k, gridworld] });

// What the command saves on its own accord goes here, and with the tests.
const TMPDIR = mkdtempSync(join(tmpdir(), 'tiltyard-test-'));
afterAll(() => rm(TMPDIR, { recursive: true, force: true }));

// The terminals of these tests are plain ones, wherever the tests are run.
const PLAIN = { TMUX: '', STY: '', KITTY_WINDOW_ID: '', TERM_PROGRAM: '', TMPDIR };

function command(...args: readonly string[]): Promise<Ended> {
  return runHere(args, PLAIN);
}

async function temporary(): Promise<string> {
  return mkdtemp(join(TMPDIR, 'test-'));
}

/** A copy of the example's game with a change. */
async function changedGame(from: string, to: string): Promise<string> {
  const file = join(await temporary(), 'game.json');
  const text = await readFile(GAME, 'utf8');
  expect(text).toContain(from);
  await writeFile(file, text.replace(from, to));
  return file;
}

/** What old games and records both say: which task, and what came of each call. */
async function readGame(file: string): Promise<object> {
  const { environment, choice, calls } = await readEpisode(file);
  const told = calls.map(({ tool, input, told: { reward, finished, failure } = {} }) => {
    return { tool, input, reward, finished, failure: failure?.reason };
  });
  return { environment, choice, calls: told };
}

/** Waits for the choice of tools, and takes the one that is so many places down. */
async function chooseTool({ until, type }: Screen, down = 0): Promise<void> {
  await until(/What do you do\?/);
  await until(/Enter.* confirm/);
  type(keys.down.repeat(down) + keys.enter);
}

test('play on a toolkit says how to call its tools', async () => {
  const { code, output } = await command('play', 'examples/toolkit/toolkit.ts', '--script', GAME);
  expect(output).toContain('has toolkits and no environments');
  expect(output).toContain('tiltyard call examples/toolkit/toolkit.ts Calculator.Add');
  expect(code).toBe(1);
});

test('the recorded game of an example is played again, from its module, without a terminal', async () => {
  const replay = run(['play', 'examples/gsm8k/environment.ts', '--script', GAME], PLAIN);
  expect(await replay.exit, replay.output()).toBe(0);
  const stdout = replay.stdout();
  expect(stdout).toContain("gsm8k: task 1 of split 'test'\n\nA swimming pool is 50 metres long.");
  expect(stdout).toContain('> submit {"answer":"3,000"}\nCorrect!\nmetadata  {"hints":1}\nreward 1  total 1\n');
  expect(stdout).toMatch(/Finished after 3 calls\. Total reward: 1\nThe same as recorded\.\n$/);
  expect(stdout).not.toContain('\x1b');
});

test('a script is read once, so that it may come through a pipe', async () => {
  const pipe = join(await temporary(), 'game.json');
  await promisify(execFile)('mkfifo', [pipe]);
  const [{ code, output }] = await Promise.all([
    command('play', examples().url, '--script', pipe),
    writeFile(pipe, await readFile(GAME)),
  ]);
  expect(output).toContain('The same as recorded.');
  expect(code).toBe(0);
});

test('a script without anything in it is refused by its name', async () => {
  const file = join(await temporary(), 'empty.json');
  await writeFile(file, '');
  const { code, output } = await command('play', examples().url, '--script', file);
  expect([code, output]).toEqual([2, expect.stringContaining(`${file} has no whole event in it`)]);
});

test.each([
  ['another reward', '"reward": 1', '"reward": 0.5', 'call 3 (submit): reward 1, recorded 0.5'],
  [
    'a failure that is gone',
    '"answer": "three"',
    '"answer": "3"',
    'call 2 (submit): it succeeded, recorded: a failure (tool_error)',
  ],
  ['an early end', '"answer": "three"', '"answer": "3"', 'the episode finished at call 2 of 3'],
  ['another end', '"finished": true', '"finished": false', 'it finished the episode, recorded: it did not'],
])('%s makes a replay fail, and is named', async (_what, from, to, difference) => {
  const { code, output } = await command('play', examples().url, '--script', await changedGame(from, to));
  expect(code).toBe(1);
  expect(output).toContain('the game differs from');
  expect(output).toContain(difference);
});

test('a replay speaks JSON to programs, and what it records can be replayed', async () => {
  const record = join(await temporary(), 'again.json');
  const { code, stdout } = await command('play', examples().url, '--script', GAME, '--json', '--record', record);
  expect(code).toBe(0);
  const events = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.map(({ event }) => event)).toEqual(['prompt', 'call', 'call', 'call', 'end']);
  expect(events[2]).toMatchObject({ tool: 'submit', failure: { reason: 'tool_error' }, total: 0 });
  expect(events.at(-1)).toEqual({ event: 'end', outcome: 'finished', calls: 3, total: 1, differences: [] });
  expect(await readGame(record)).toEqual(await readGame(GAME));
});

test('a script without rewards is played and compared with nothing; a tool that breaks fails it all the same', async () => {
  const server = await startServer();
  const script = join(await temporary(), 'script.json');
  const write = (tool: string) =>
    writeFile(
      script,
      JSON.stringify({ environment: 'math', task: { answer: '4' }, calls: [{ tool }, { tool: 'fail' }] }),
    );
  await write('noargs');
  const played = await command('play', server.url, '--script', script);
  expect(played).toMatchObject({ code: 0, stdout: expect.stringContaining('Left after 2 calls. Total reward: 0\n') });
  expect(played.stdout).not.toContain('as recorded');
  await write('boom');
  expect(await command('play', server.url, '--script', script)).toMatchObject({
    code: 1,
    output: expect.stringContaining('call 1 (boom): it failed (broken'),
  });
  expect(server.counters).toMatchObject({ setups: 2, teardowns: 2 });
});

test.each([
  ['no terminal', [], 'Replay a recorded game with --script FILE, or make single calls'],
  ['JSON for a person', ['--json'], 'add --script FILE'],
  ['a script that is not there', ['--script', 'nope.json'], 'nope.json does not exist. Name a record'],
  ['a script that is none', ['--script', 'package.json'], 'package.json is neither a record nor a game'],
])('%s gives a message that helps, and exit code 2', async (_what, args, message) => {
  const { code, output } = await command('play', examples().url, ...args);
  expect(output).toContain(message);
  expect(code).toBe(2);
});

test('a game in a terminal: choices, a mistake, a failure to recover from, and the end', async () => {
  const record = join(await temporary(), 'game.json');
  const screen = runInTerminal(['play', examples().url, '--record', record], PLAIN);
  const { type, until } = screen;
  await until(/Which environment\?[\s\S]*confirm/);
  type(keys.enter);
  await until(/Which split\?[\s\S]*confirm/);
  type(keys.down + keys.enter);
  await until(/Which task\? \(0 to 11\)/);
  type(`99${keys.enter}`);
  await until(/A number from 0 to 11/);
  type(`\x7f\x7f1${keys.enter}`);
  await until(/gsm8k: task 1 of split 'test'\n\nA swimming pool/);
  await chooseTool(screen, 1);
  await until(/> hint \{\}\nA third fewer means two thirds as many\.\nno reward {2}total 0/);
  // The tool of the last call is offered first, so submit is one up.
  await until(/confirm/);
  type(keys.up + keys.enter);
  await until(/answer \(string\) {2}the number only/);
  type(`three${keys.enter}`);
  await until(/'three' is not a number.* \(tool_error\)/);
  await chooseTool(screen);
  await until(/answer \(string\)/);
  type(`3,000${keys.enter}`);
  await until(/Correct!\nmetadata {2}\{"hints":1\}\nreward 1 {2}total 1/);
  await until(/Finished after 3 calls\. Total reward: 1/);
  expect(await screen.exit).toBe(0);
  expect(await readGame(record)).toEqual(await readGame(GAME));
});

test('Esc goes back to the tools, and leaving ends the episode', async () => {
  const server = await startServer();
  const screen = runInTerminal(['play', server.url, '-e', 'math', '-s', 'test', '-i', '0'], PLAIN);
  await chooseTool(screen);
  await screen.until(/answer \(string\)/);
  screen.type('\x1b');
  await chooseTool(screen);
  await screen.until(/answer \(string\)/);
  screen.type(`0${keys.enter}`);
  await screen.until(/Correct!/);
  expect(await screen.exit).toBe(0);
  expect(server.counters).toMatchObject({ setups: 1, teardowns: 1, runs: { submit: 1 } });
});

test('Ctrl-C at a question ends the episode on the server', async () => {
  const server = await startServer();
  const screen = runInTerminal(['play', server.url, '-e', 'math', '-s', 'train', '-i', '0'], PLAIN);
  await screen.until(/What do you do\?[\s\S]*confirm/);
  screen.type(keys.interrupt);
  expect(await screen.exit).toBe(130);
  expect(server.counters).toMatchObject({ setups: 1, teardowns: 1 });
});

test('Ctrl-C while a tool runs ends the episode on the server; until then the wait is shown', async () => {
  const server = await startServer();
  const args = ['-e', 'math', '-s', 'train', '-i', '0'];
  const screen = runInTerminal(['play', server.url, ...args], PLAIN);
  // submit, num, noargs, slow
  await chooseTool(screen, 3);
  await screen.until(/ms \(number\)/);
  screen.type(`60000${keys.enter}`);
  await screen.until(/tag \(string\)[\s\S]*Enter to leave it out/);
  screen.type(keys.enter);
  await screen.until(/tag \(string\)\s+\(left out\)[\s\S]*waiting for slow/);
  screen.type(keys.interrupt);
  expect(await screen.exit).toBe(130);
  expect(server.counters).toMatchObject({ setups: 1, teardowns: 1, inputs: { slow: { ms: 60000 } } });
});

test('a long game has no warning of Node in it', async () => {
  const server = await startServer();
  const screen = runInTerminal(['play', server.url, '-e', 'math', '-s', 'test', '-i', '0'], PLAIN);
  for (let round = 0; round < 7; round += 1) {
    await chooseTool(screen);
    await screen.until(/answer \(string\)/);
    screen.type('\x1b');
  }
  await chooseTool(screen);
  await screen.until(/answer \(string\)/);
  screen.type(keys.interrupt);
  expect(await screen.exit).toBe(130);
  expect(screen.raw()).not.toContain('Warning');
});

test('images are saved, each under a name that says where it came from', async () => {
  const folder = join(await temporary(), 'pictures');
  const script = join(await temporary(), 'walk.json');
  const calls = ['up', 'down'].map((direction) => ({ tool: 'move', input: { direction } }));
  await writeFile(script, JSON.stringify({ environment: 'gridworld', split: 'test', index: 0, calls }));
  const { code, stdout } = await command('play', examples().url, '--script', script, '--images', folder);
  expect(code).toBe(0);
  expect(await readdir(folder)).toEqual(['001-prompt.png', '002-call-1.png', '003-call-2.png']);
  expect(stdout).toContain(`[image/png saved as ${join(folder, '001-prompt.png')}]`);
  expect((await readFile(join(folder, '002-call-1.png'))).subarray(1, 4).toString()).toBe('PNG');
});

test.each([
  ['kitty', { ...PLAIN, KITTY_WINDOW_ID: '1' }, /\x1b_Ga=T,f=100,q=2,m=[01];iVBOR/],
  ['iTerm2', { ...PLAIN, TERM_PROGRAM: 'iTerm.app' }, /\x1b\]1337;File=inline=1;size=\d+:iVBOR/],
])('images are drawn in the terminal by the protocol of %s', async (_name, env, drawing) => {
  const screen = runInTerminal(['play', examples().url, '-e', 'gridworld', '-s', 'test', '-i', '0'], env);
  await screen.until(/What do you do\?/);
  expect(screen.raw()).toMatch(drawing);
  expect(screen.raw()).not.toContain('saved as');
});

test('inputs are asked for through the definitions of a server of another make', async () => {
  const input_schema = {
    type: 'object',
    properties: {
      colour: { allOf: [{ $ref: '#/$defs/Colour' }], description: 'which one' },
      at: { $ref: '#/$defs/Point' },
      note: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
    },
    required: ['colour', 'at'],
    $defs: {
      Colour: { enum: ['red', 'blue'], type: 'string' },
      Point: { type: 'object', properties: { x: { type: 'integer', minimum: 0 } }, required: ['x'] },
    },
  };
  const output = {
    blocks: [{ type: 'text', text: 'painted\x1b[2J', detail: null }],
    metadata: null,
    reward: 0.5,
    finished: true,
  };
  const server = await startForeign({
    'GET /math/task_tools': json({ tools: [{ name: 'paint', description: 'Paints.', input_schema }] }),
    'POST /math/call': stream(['task_id', SERVER_ID], ['end', JSON.stringify({ ok: true, output })]),
  });
  const screen = runInTerminal(['play', server.url, '--task', '{}'], PLAIN);
  const { type, until } = screen;
  await until(/math: a task of your own\n\nAdd\./);
  await chooseTool(screen);
  await until(/colour \("red" \| "blue"\) {2}which one[\s\S]*confirm/);
  type(keys.down + keys.enter);
  await until(/at\.x \(integer >= 0\)/);
  type(`-1${keys.enter}`);
  await until(/Must be >= 0/);
  type(`\x7f\x7f5${keys.enter}`);
  await until(/note \(string \| null\)/);
  type(keys.enter);
  await until(/reward 0\.5 {2}total 0\.5/);
  expect(await screen.exit).toBe(0);
  expect(server.on('/math/call').at(-1)?.body).toMatchObject({
    name: 'paint',
    input: { colour: 'blue', at: { x: 5 } },
  });
  expect(server.on('/delete')).toHaveLength(1);
  expect(screen.text()).toContain('painted�[2J');
});

const EXITS = `
import { environment } from 'tiltyard';
export default environment({
  name: 'exits',
  splits: { train: [{}] },
  prompt: () => 'Go.',
  tools: { go: { run: () => 'gone' }, exit: { run: () => process.exit(0) } },
});`;

test.each([
  ['of the module', [], /"type":"end","outcome":"env_error","stop":"lost","fault":"environment",.*"calls":2,/],
  // No event can follow.
  [
    'of the command, which is debugged',
    ['--inspect=127.0.0.1:0'],
    /"type":"call","tool":"exit","input":\{"why":1\}\}\n$/,
  ],
])('the record of a game has the call whose tool ended the process %s', async (_what, node, last) => {
  const script = { environment: 'exits', split: 'train', index: 0 };
  const calls = [{ tool: 'go' }, { tool: 'exit', input: { why: 1 } }, { tool: 'go' }];
  const folder = await folderWith({ 'exits.mjs': EXITS, 'game.json': JSON.stringify({ ...script, calls }) });
  const args = [...node, MAIN, 'play', 'exits.mjs', '--script', 'game.json', '--record', 'played.jsonl'];
  expect(await runToEnd(folder, process.execPath, args)).toMatchObject({ code: 1 });
  const record = join(folder, 'played.jsonl');
  expect((await readEpisode(record)).calls.map(({ tool, input }) => [tool, input])).toEqual([
    ['go', {}],
    ['exit', { why: 1 }],
  ]);
  expect(await readFile(record, 'utf8')).toMatch(last);
});

test('a game that is cut off is written down as far as it came', async () => {
  const record = join(await temporary(), 'game.json');
  const screen = runInTerminal(
    ['play', examples().url, '-e', 'gsm8k', '-s', 'test', '-i', '1', '--record', record],
    PLAIN,
  );
  await chooseTool(screen, 1);
  await screen.until(/two thirds/);
  await screen.until(/What do you do\?/);
  screen.type(keys.interrupt);
  expect(await screen.exit).toBe(130);
  expect((await readEpisode(record)).calls).toHaveLength(1);
  expect(await readFile(record, 'utf8')).toMatch(/"type":"end","outcome":"cancelled","stop":"interrupted".*\n$/);
});
