import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type JournalRecord, openJournal, parseJournalKeys } from '../../src/journal/index.ts';
import { newFolder } from '../journal/folders.ts';
import { startAppending } from '../journal/start-appending.ts';
import { runHere } from '../support/run-here.ts';

const KEY = 'cd'.repeat(32);

type Written = JournalRecord & Record<string, unknown>;

/** A journal with two episodes, which this process has open, as a server would. */
async function written(folder: string, keys = '') {
  const journal = await openJournal<Written>(folder, { keys: keys === '' ? [] : parseJournalKeys(keys) });
  const create = { type: 'create', at: 1_700_000_000_000, environment: 'math', durability: 'replay' };
  await journal.append('alice/s1', { ...create, sid: 's1', identity: 'alice' }, 0);
  const end = {
    type: 'end',
    at: 1_700_000_060_000,
    id: 'c1',
    tool: 'answer',
    json: `{"text":"${'long '.repeat(100)}\x1b[2J"}`,
  };
  await journal.append('alice/s1', end, 1);
  await journal.append('bob/s2', { ...create, at: 1_700_000_001_000, sid: 's2', identity: 'bob' }, 0);
  return journal;
}

test('journal ls and show work while a server has the journal', async () => {
  const folder = newFolder();
  const journal = await written(folder);
  try {
    const listed = await runHere(['journal', 'ls', folder]);
    expect(listed.code).toBe(0);
    expect(listed.stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['SESSION', 'IDENTITY', 'ENVIRONMENT', 'KEPT BY', 'SINCE', 'RECORDS', 'LAST'],
      ['s1', 'alice', 'math', 'replay', '2023-11-14T22:13:20.000Z', '2', 'call ended', '2023-11-14T22:14:20.000Z'],
      ['s2', 'bob', 'math', 'replay', '2023-11-14T22:13:21.000Z', '1', 'created', '2023-11-14T22:13:21.000Z'],
      [''],
    ]);
    expect(listed.output).toContain(`In use by process ${process.pid}`);

    const shown = await runHere(['journal', 'show', folder, 's1']);
    expect(shown.stdout).toContain('2  2023-11-14T22:14:20.000Z  end\n    id: "c1"\n    tool: "answer"\n');
    expect(shown.stdout).toMatch(/long lo…$/m);
    const whole = await runHere(['journal', 'show', folder, 'alice/s1', '--json']);
    expect(whole.stdout).not.toContain('\x1b');
    expect(
      whole.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { seq: 1, ...journal.read('alice/s1')[0] },
      { seq: 2, ...journal.read('alice/s1')[1] },
    ]);
  } finally {
    await journal.close();
  }
});

test('journal ls says how an episode ended, and of which environment it was', async () => {
  const folder = newFolder();
  const journal = await written(folder);
  const close = { type: 'close', at: 1_700_000_090_000, sid: 's1', identity: 'alice', end: 'deleted' };
  const of = { environment: 'math', durability: 'replay', since: 1_700_000_000_000 };
  await journal.replace('alice/s1', { ...close, ...of });
  // As earlier versions wrote it.
  await journal.replace('bob/s2', { ...close, sid: 's2', identity: 'bob', end: 'expired' });
  await journal.close();
  const { stdout } = await runHere(['journal', 'ls', folder]);
  const [, ...rows] = stdout.trim().split('\n');
  expect(rows.map((line) => line.split(/ {2,}/))).toEqual([
    ['s1', 'alice', 'math', 'replay', '2023-11-14T22:13:20.000Z', '1', 'ended: deleted', '2023-11-14T22:14:50.000Z'],
    ['s2', 'bob', '-', '-', '2023-11-14T22:14:50.000Z', '1', 'ended: expired', '2023-11-14T22:14:50.000Z'],
  ]);
});

test('journal ls --json has a line for each episode', async () => {
  const folder = newFolder();
  await (await written(folder, KEY)).close();
  const { stdout } = await runHere(['journal', 'ls', folder, '--json'], { TILTYARD_JOURNAL_KEY: KEY });
  expect(JSON.parse(stdout.split('\n')[0] ?? '')).toEqual({
    key: 'alice/s1',
    sid: 's1',
    identity: 'alice',
    environment: 'math',
    durability: 'replay',
    since: 1_700_000_000_000,
    lastAt: 1_700_000_060_000,
    lastType: 'end',
    records: 2,
  });
});

test('journal drop removes an episode, and only when it is meant and no server runs', async () => {
  const folder = newFolder();
  const journal = await written(folder);
  const running = await runHere(['journal', 'drop', folder, 's1', '--yes']);
  expect(running).toMatchObject({ code: 1, output: expect.stringContaining('in use by') });
  await journal.close();
  const unsure = await runHere(['journal', 'drop', folder, 's1']);
  expect(unsure).toMatchObject({ code: 2, output: expect.stringContaining('Add --yes if you mean it') });
  expect(await runHere(['journal', 'drop', folder, 's3', '--yes'])).toMatchObject({
    code: 1,
    output: expect.stringContaining(`no episode 's3' in this journal. List them: tiltyard journal ls ${folder}`),
  });
  const closed = Date.now();
  expect(await runHere(['journal', 'drop', folder, 's1', '--yes'])).toMatchObject({ code: 0 });
  const again = await openJournal(folder);
  expect([...again.entries()].map(({ key }) => key)).toEqual(['bob/s2']);
  // What the server did last, and not what was done to its folder since.
  expect(again.lastAlive).toBeLessThanOrEqual(closed);
  await again.close();
});

test('journal backup copies a journal that is in use, and the copy can be served from', async () => {
  const folder = newFolder();
  const copy = join(dirname(folder), 'copy');
  const journal = await written(folder, KEY);
  const env = { TILTYARD_JOURNAL_KEY: KEY };
  expect(await runHere(['journal', 'backup', folder, copy], env)).toMatchObject({ code: 0 });
  expect(await runHere(['journal', 'backup', folder, copy], env)).toMatchObject({
    code: 1,
    output: expect.stringContaining('is not empty'),
  });
  const expected = journal.read('alice/s1');
  await journal.close();
  const copied = await openJournal(copy, { keys: parseJournalKeys(KEY) });
  expect(copied.read('alice/s1')).toEqual(expected);
  expect(copied.id).toBe(journal.id);
  expect(await copied.append('bob/s2', { type: 'end', at: 1 }, 1)).toBe(2);
  await copied.close();
});

test('a folder without a journal, and a wrong key, are told', async () => {
  const folder = newFolder();
  expect(await runHere(['journal', 'ls', folder])).toMatchObject({
    code: 1,
    output: expect.stringContaining('there is no folder'),
  });
  writeFileSync(folder, '');
  expect(await runHere(['journal', 'ls', folder])).toMatchObject({
    code: 1,
    output: expect.stringContaining('is a file'),
  });
  expect(await runHere(['journal', 'ls', dirname(folder)])).toMatchObject({
    code: 1,
    output: expect.stringContaining('there is no journal in'),
  });
  const sealed = join(dirname(folder), 'sealed');
  await (await written(sealed, KEY)).close();
  expect(await runHere(['journal', 'ls', sealed])).toMatchObject({
    code: 1,
    output: expect.stringContaining('TILTYARD_JOURNAL_KEY'),
  });
  const wrong = await runHere(['journal', 'ls', sealed], { TILTYARD_JOURNAL_KEY: 'oops oops' });
  expect(wrong).toMatchObject({ code: 2, output: expect.stringContaining('TILTYARD_JOURNAL_KEY') });
  expect(wrong.output).not.toContain('oops');
});

test('journal --help has examples', async () => {
  const { output, code } = await runHere(['journal', '--help']);
  expect(code).toBe(0);
  expect(output).toContain('tiltyard journal show data/journal');
});

test('journal ls tells calls of toolkits from episodes', async () => {
  const folder = newFolder();
  const journal = await written(folder);
  const begin = { type: 'tool_begin', at: 1_700_000_002_000, identity: '', callId: 'order-7', tool: 'Mail.Send@1.0.0' };
  await journal.append('\nabc', begin, 0);
  await journal.append('\nabc', { type: 'tool_end', at: 1_700_000_003_000 }, 1);
  await journal.close();
  const episodes = await runHere(['journal', 'ls', folder]);
  expect(episodes.stdout).not.toContain('order-7');
  expect(episodes.output).toContain('Calls of toolkits: 1. List them with --calls.');
  const calls = await runHere(['journal', 'ls', folder, '--calls']);
  expect(calls.stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['CALL', 'IDENTITY', 'TOOL', 'SINCE', 'LAST'],
    ['order-7', '-', 'Mail.Send@1.0.0', '2023-11-14T22:13:22.000Z', 'call ended', '2023-11-14T22:13:23.000Z'],
    [''],
  ]);
  expect((await runHere(['journal', 'show', folder, 'order-7'])).stdout).toContain('tool: "Mail.Send@1.0.0"');
});

test('journal show hides secrets, and tells only their names', async () => {
  const folder = newFolder();
  const journal = await written(folder, KEY);
  const start = { choice: { split: 'train', index: 0 }, secrets: { TOKEN: 'hunter2-hunter2' } };
  await journal.append('s3', { type: 'create', at: 1_700_000_000_000, sid: 's3', identity: '', start }, 0);
  await journal.close();
  for (const more of [[], ['--json']]) {
    const { stdout } = await runHere(['journal', 'show', folder, 's3', ...more], { TILTYARD_JOURNAL_KEY: KEY });
    expect(stdout).toContain('TOKEN');
    expect(stdout).not.toContain('hunter2');
  }
});

test('of a process that was killed, journal ls does not say that it uses the journal', async () => {
  const folder = newFolder();
  const { child, exit } = await startAppending(folder, 1);
  child.kill('SIGKILL');
  await exit;
  const { output } = await runHere(['journal', 'ls', folder]);
  expect(output).toContain(`Last used by process ${child.pid} on `);
  expect(output).toContain('which has ended without closing it; last sign of life ');
});
