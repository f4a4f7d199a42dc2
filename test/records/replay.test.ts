import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, environment, step, ToolError } from 'tiltyard';
import { connect } from 'tiltyard/client';
import { cassette, record } from 'tiltyard/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { QUICK } from '../support/client.ts';
import { startServer } from '../support/http.ts';
import { runHere } from '../support/run-here.ts';
import { eventsOf, newFolder, onlyRecordIn, recordsIn } from './folders.ts';

const GAME = 'examples/gsm8k/game.json';

/** An environment that answers so. */
function speaking(words = 'hello', reward = 1): Environment {
  return environment({
    name: 'speaking',
    splits: { train: [{ id: 0 }, { id: 1 }] },
    prompt: ({ task }) => `Say something about ${(task as { id: number }).id}.`,
    tools: {
      say: {
        description: 'Says it.',
        input: z.object({ what: z.string() }),
        run({ what }) {
          if (what === 'nothing') throw new ToolError('nothing to say');
          if (what === 'bug') throw new Error('a bug');
          return step(`${what}: ${words}`, { reward, finished: what === 'bye', metadata: { length: what.length } });
        },
      },
    },
  });
}

const SAID = ['hi', 'nothing', 'bug', 'hi', 'bye'];

/** Plays an episode, and tells all that its client saw. */
async function play(url: string, said: readonly string[] = SAID): Promise<unknown[]> {
  const session = await connect(url, { retry: QUICK }).session({ split: 'train', index: 1 });
  const seen: unknown[] = [await session.prompt()];
  for (const what of said) {
    const call = session.call('say', { what });
    seen.push(
      await call.then(
        ({ blocks, reward, finished, metadata }) => ({ blocks, reward, finished, metadata }),
        ({ name, message, reason, outcome }) => ({ name, message, reason, outcome }),
      ),
    );
  }
  await session.close();
  return seen;
}

/** The record of such an episode. */
async function recorded(said?: readonly string[]): Promise<{ file: string; folder: string; seen: unknown[] }> {
  const folder = newFolder();
  await using server = await record(speaking(), folder);
  const seen = await play(server.url, said);
  await server.close();
  const [file = ''] = recordsIn(folder);
  return { file, folder, seen };
}

test('Q4: a record is played again in a new session, and is the same', async () => {
  const { file } = await recorded();
  const { url } = await startServer({ environments: [speaking()] });
  const { code, stdout } = await runHere(['replay', file, url]);
  expect(stdout).toBe("speaking: task 1 of split 'train'\n5 calls played again: the same as recorded.\n");
  expect(code).toBe(0);
});

test('Q4: what differs is shown, for people and as JSON, and the exit code is 1', async () => {
  const { file } = await recorded();
  const { url } = await startServer({ environments: [speaking('good day', 0.5)] });
  const shown = await runHere(['replay', file, url]);
  expect(shown.code).toBe(1);
  expect(shown.stdout).toContain('call 1 (say): reward\n  recorded 1\n  now      0.5\n');
  expect(shown.stdout).toContain('call 1 (say): text\n  recorded "hi: hello"\n  now      "hi: good day"\n');
  expect(shown.stdout).toContain('5 calls played again, 6 differences.');
  expect(shown.output).toContain(`the episode differs from ${file}`);
  const { code, stdout } = await runHere(['replay', file, url, '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    environment: 'speaking',
    split: 'train',
    index: 1,
    played: 5,
    recorded: 5,
    differences: [
      { call: 1, tool: 'say', what: 'reward', recorded: 1, now: 0.5 },
      { call: 1, what: 'text' },
      { call: 4, what: 'reward' },
      { call: 4, what: 'text' },
      { call: 5, what: 'reward' },
      { call: 5, what: 'text' },
    ],
  });
});

test('Q4: another prompt, an early end, and a failure that is gone are differences', async () => {
  const { file } = await recorded();
  const changed = `${file}.changed.jsonl`;
  const text = readFileSync(file, 'utf8');
  writeFileSync(changed, text.replace('about 1', 'about 2').replace('"what":"nothing"', '"what":"bye"'));
  const { url } = await startServer({ environments: [speaking()] });
  const { code, stdout } = await runHere(['replay', changed, url, '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    played: 2,
    differences: [
      { call: 0, what: 'text', recorded: 'Say something about 2.' },
      { call: 2, what: 'failure', recorded: 'tool_error', now: null },
      { call: 2, what: 'calls', recorded: 5, now: 2 },
    ],
  });
});

test('Q4: another finish, other metadata and other images are differences', async () => {
  const { file } = await recorded(['hi', 'hi', 'bye']);
  const events: any[] = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const [first, second, last] = events.filter(({ type }) => type === 'result');
  first.blocks.push({ type: 'image', data: 'aGk=', mimeType: 'image/png', detail: null });
  second.metadata = { length: 9 };
  last.finished = false;
  writeFileSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  const { url } = await startServer({ environments: [speaking()] });
  const { code, stdout } = await runHere(['replay', file, url, '--json']);
  expect(code).toBe(1);
  expect(JSON.parse(stdout).differences).toEqual([
    // An image has its place among the texts.
    { call: 1, tool: 'say', what: 'text', recorded: 'hi: hello\n', now: 'hi: hello' },
    { call: 1, tool: 'say', what: 'images', recorded: 1, now: 0 },
    { call: 2, tool: 'say', what: 'metadata', recorded: { length: 9 }, now: { length: 2 } },
    { call: 3, tool: 'say', what: 'finished', recorded: false, now: true },
  ]);
});

test('Q4: old games are replayed as well; what they do not say is not compared', async () => {
  const { code, stdout } = await runHere(['replay', GAME, 'examples/gsm8k/environment.ts']);
  expect(stdout).toContain('3 calls played again: the same as recorded.');
  expect(code).toBe(0);
});

test.each([
  ['is not there', ['nope.jsonl'], 'nope.jsonl does not exist. Name a record'],
  ['is none', ['package.json'], 'is neither a record nor a game'],
  ['is something else', ['README.md'], 'is not a record, or is damaged'],
])('a record that %s is a usage error', async (_what, args, message) => {
  const { code, output } = await runHere(['replay', ...args, 'localhost:1']);
  expect(output).toContain(message);
  expect(code).toBe(2);
});

test('Q4: a cassette answers recorded calls as they were answered, to the byte', async () => {
  const { folder, seen } = await recorded();
  await using server = await cassette(folder);
  expect(await play(server.url)).toEqual(seen);
  // Again and again.
  expect(await play(server.url)).toEqual(seen);
  const client = connect(server.url, { retry: QUICK });
  expect(await client.environment('speaking').splits()).toEqual([{ name: 'train', type: 'train' }]);
  expect(await client.environment('speaking').count('train')).toBe(2);
  const session = await client.session({ split: 'train', index: 1 });
  expect((await session.tools())[0]).toMatchObject({ name: 'say', description: 'Says it.' });
  await session.close();
  const task = await client.environment('speaking').task('train', 1);
  await (await client.session({ task })).close();
});

test('Q4: a cassette refuses what was not recorded, and says what was', async () => {
  const { folder } = await recorded(['hi', 'bye']);
  await using server = await cassette(folder);
  const client = connect(server.url, { retry: QUICK });
  await expect(client.session({ split: 'train', index: 0 })).rejects.toThrow(
    "task 0 of split 'train' was not recorded. Recorded tasks: train 1",
  );
  await using session = await client.session({ split: 'train', index: 1 });
  await expect(session.call('say', { what: 'odd' })).rejects.toThrow(
    'the call say {"what":"odd"} was not recorded: say was called with {"what":"hi"}, {"what":"bye"}',
  );
  await expect(session.call('sing', {})).rejects.toThrow('the tools that were called are say');
  expect((await session.call('say', { what: 'hi' })).text).toBe('hi: hello');
  await expect(session.call('say', { what: 'hi' })).rejects.toThrow('was not made as often when this was recorded');
  expect((await session.call('say', { what: 'bye' })).finished).toBe(true);
  await expect(session.call('say', { what: 'hi' })).rejects.toThrow('the episode is finished');
});

test('Q4: a task that was recorded several times is played from its records in turn', async () => {
  const folder = newFolder();
  for (const words of ['one', 'two']) {
    await using server = await record(speaking(words), folder);
    await play(server.url, ['hi']);
  }
  await using server = await cassette(folder);
  const said = await Promise.all([0, 1, 2, 3].map(async () => JSON.stringify(await play(server.url, ['hi']))));
  expect(said.filter((text) => text.includes('hi: one'))).toHaveLength(2);
  expect(said.filter((text) => text.includes('hi: two'))).toHaveLength(2);
});

test('play --record writes a record, which play --script and replay read', async () => {
  const file = join(newFolder(), 'game.jsonl');
  const { url } = await startServer({ environments: [speaking()] });
  const script = join(newFolder(), 'old.json');
  const calls = SAID.map((what) => ({ tool: 'say', input: { what } }));
  // A tool that breaks is no game.
  writeFileSync(
    script,
    JSON.stringify({ environment: 'speaking', split: 'train', index: 0, calls: calls.filter((_, at) => at !== 2) }),
  );
  expect(await runHere(['play', url, '--script', script, '--record', file])).toMatchObject({ code: 0 });
  expect((await eventsOf(file)).map(({ type }) => type)).toEqual([
    ...['episode', 'prompt', 'call', 'result', 'call', 'result', 'call', 'result', 'call', 'result', 'end'],
  ]);
  expect((await eventsOf(file)).at(-1)).toMatchObject({ outcome: 'finished', stop: 'finished', calls: 4 });
  expect(await runHere(['play', url, '--script', file])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('The same as recorded.'),
  });
  expect(await runHere(['replay', file, url])).toMatchObject({ code: 0 });
  const { url: other } = await startServer({ environments: [speaking('else', 3)] });
  expect(await runHere(['play', other, '--script', file])).toMatchObject({
    code: 1,
    output: expect.stringContaining('call 1 (say): reward 3, recorded 1'),
  });
});

test('a game of play --record without images or long texts is one file, which can be copied elsewhere', async () => {
  const folder = newFolder();
  const { url } = await startServer({ environments: [speaking()] });
  const script = join(newFolder(), 'script.json');
  const calls = [{ tool: 'say', input: { what: 'hi' } }];
  writeFileSync(script, JSON.stringify({ environment: 'speaking', split: 'train', index: 0, calls }));
  expect(await runHere(['play', url, '--script', script, '--record', join(folder, 'game.jsonl')])).toMatchObject({
    code: 0,
  });
  expect(readdirSync(folder)).toEqual(['game.jsonl']);
  const copy = join(newFolder(), 'copy.jsonl');
  copyFileSync(join(folder, 'game.jsonl'), copy);
  expect(await runHere(['replay', copy, url])).toMatchObject({ code: 0 });
});

test('an episode that is replayed against a recording server is recorded once more, and the same', async () => {
  const { file } = await recorded();
  const folder = newFolder();
  await using server = await record(speaking(), folder);
  expect(await runHere(['replay', file, server.url])).toMatchObject({ code: 0 });
  await server.close();
  const plain = (events: readonly object[]) =>
    events.map((event) => ({ ...event, at: 0, ms: 0, id: '', seed: 0, stop: '', outcome: '' }));
  expect(plain(await onlyRecordIn(folder))).toEqual(plain(await eventsOf(file)));
});
