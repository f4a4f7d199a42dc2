import { join } from 'node:path';
import { connect } from 'tiltyard/client';
import { RecordWriter } from 'tiltyard/records';
import { expect, test } from 'vitest';
import { QUICK } from '../support/client.ts';
import { run, untilPrinted } from '../support/command.ts';
import { newFolder, recordsIn } from './folders.ts';

const GSM8K = 'examples/gsm8k/environment.ts';

/** Runs a command that serves, plays an episode there, and stops it with Ctrl-C. */
async function playAt(...args: readonly string[]): Promise<string> {
  const command = run([...args, '--port', '0', '--json']);
  const [, url = ''] = await untilPrinted(command, /"url":"([^"]+)"/);
  const session = await connect(url, { retry: QUICK }).session({ split: 'test', index: 1 });
  await session.prompt();
  const { text } = await session.call('submit', { answer: '3,000' });
  await session.close();
  command.child.kill('SIGINT');
  expect(await command.exit, command.output()).toBe(0);
  return text;
}

test('Q3, Q4: what `serve --record` records, `replay` plays again and `mock` serves', async () => {
  const folder = join(newFolder(), 'records');
  const text = await playAt('serve', GSM8K, '--record', folder, '--record-max', '5MB');
  const [file = '', ...others] = recordsIn(folder);
  expect(others).toEqual([]);
  const replay = run(['replay', file, GSM8K]);
  expect(await replay.exit, replay.output()).toBe(0);
  expect(replay.stdout()).toContain('1 call played again: the same as recorded.');
  expect(await playAt('mock', file)).toBe(text);
  expect(await playAt('mock', folder)).toBe(text);
});

test('mock says of records of tasks that clients sent that there are no splits, and suggests what works', async () => {
  const file = join(newFolder(), 'own.jsonl');
  using writer = RecordWriter.open(file);
  writer.append({ type: 'episode', by: 'server', environment: 'math', task: { a: 1 } });
  const command = run(['mock', file, '--port', '0']);
  const [, url = ''] = await untilPrinted(command, /curl -s (\S+)/);
  expect(command.output()).toContain('splits: none\n');
  expect(url).toMatch(/\/math\/tools$/);
  expect(await (await fetch(url)).json()).toEqual({ tools: [] });
});

test.each([
  [['serve', GSM8K, '--record-max', '5MB'], 'Name a folder with --record'],
  [
    ['serve', GSM8K, '--record', 'x', '--record-max', 'much'],
    'A size is a number such as 500MB or 10GB; without a unit, bytes.',
  ],
  [['mock', 'nope.jsonl'], 'nope.jsonl does not exist. Name a record'],
  [['mock', 'docs/decisions'], 'docs/decisions has no records in it'],
])('%j is a usage error', async (args, message) => {
  const command = run(args);
  expect(await command.exit).toBe(2);
  expect(command.output()).toContain(message);
});
