import { execFileSync } from 'node:child_process';
import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rollouts } from 'tiltyard/rollouts';
import { expect, test } from 'vitest';
import type { TaskQuery, TaskTable } from '../../src/studio/api.ts';
import { type QuizTask, questions, serveQuiz } from '../rollouts/quiz.ts';
import { temporaryFolder } from '../support/folder.ts';
import { openStudio, type TestStudio } from './studio-client.ts';

/** A run of a quiz in which the answer to each question is its own. */
async function playQuiz(tasks: readonly QuizTask[], { k = 1 } = {}): Promise<string> {
  const folder = temporaryFolder('tiltyard-search-');
  const agent = { solve: ({ answer }: Record<string, unknown>) => [{ tool: 'submit', input: { answer } }] } as never;
  await rollouts({ target: await serveQuiz(tasks), out: join(folder, 'run'), agent, retries: 0, k });
  return join(folder, 'run');
}

/** The table when everything was read. */
async function find(studio: TestStudio, text: string, query: TaskQuery = {}): Promise<TaskTable> {
  const [run] = await studio.ask('GET /api/runs');
  for (;;) {
    const table = await studio.ask('GET /api/runs/:run/tasks', { run: run?.id ?? '' }, { query: { ...query, text } });
    if (table.search === undefined || table.search.read === table.search.total) return table;
  }
}

async function tasksWith(studio: TestStudio, text: string, query?: TaskQuery): Promise<number[]> {
  return (await find(studio, text, query)).rows.map(({ index }) => index);
}

const long = (word: string) => `${'many words '.repeat(3_000)} ${word}`;

test('U5: a text is found in prompts, calls and results, also in long ones, whatever its case', async () => {
  const tasks: QuizTask[] = [
    { question: 'Where is the "Zebra"?', answer: 'in the zoo' },
    { question: 'What has\ntwo lines?', answer: 'Überraschung' },
    { question: long('needle'), answer: '3' },
    { question: 'nothing', answer: '4', trouble: 'throw' },
  ];
  const studio = await openStudio({ runs: [await playQuiz(tasks, { k: 2 })] });
  expect(await tasksWith(studio, '"zebra"')).toEqual([0]);
  expect(await tasksWith(studio, 'IN THE ZOO')).toEqual([0]);
  expect(await tasksWith(studio, 'überraschung')).toEqual([1]);
  expect(await tasksWith(studio, 'has\ntwo')).toEqual([1]);
  expect(await tasksWith(studio, 'words needle')).toEqual([]);
  expect(await tasksWith(studio, ' NEEDLE ')).toEqual([2]);
  expect(await tasksWith(studio, 'right.')).toEqual([0, 1, 2]);
  expect(await tasksWith(studio, 'right.', { filter: 'missing' })).toEqual([]);
  expect(await tasksWith(studio, 'submit')).toEqual([0, 1, 2, 3]);
  expect(await tasksWith(studio, 'no such thing')).toEqual([]);
  // How events are written down is not what was said.
  expect(await tasksWith(studio, 'blocks')).toEqual([]);
});

test('U5: the episodes that have the text are marked, and a number with # is a task', async () => {
  const studio = await openStudio({ runs: [await playQuiz(questions(12), { k: 2 })] });
  const { rows } = await find(studio, 'right.');
  expect(rows[0]?.cells).toMatchObject([{ hasText: true }, { hasText: true }]);
  const eleventh = await find(studio, '#10');
  expect(eleventh.rows.map(({ index }) => index)).toEqual([10]);
  expect(eleventh.search).toBeUndefined();
});

test('U5: a longer text is looked for only where its beginning was found, and what is new is found as well', async () => {
  const folder = await playQuiz(questions(6));
  const path = join(folder, 'events', '2.1.jsonl');
  const record = await readFile(path, 'utf8');
  await writeFile(path, record.replace('Right.', 'Rightly so.'));
  const studio = await openStudio({ runs: [folder] });
  expect(await tasksWith(studio, 'right')).toEqual([0, 1, 2, 3, 4, 5]);
  expect(await tasksWith(studio, 'rightly')).toEqual([2]);
  expect(await tasksWith(studio, 'rightly not')).toEqual([]);
  // An attempt that ends later has a record of its own.
  const lines = (await readFile(join(folder, 'episodes.jsonl'), 'utf8')).trim().split('\n');
  // They stand in the order in which they ended.
  const line = lines.map((each) => JSON.parse(each)).find(({ episode }) => episode === 4);
  await writeFile(join(folder, 'events', '4.2.jsonl'), record.replace('Right.', 'Rightly.'));
  await appendFile(join(folder, 'episodes.jsonl'), `${JSON.stringify({ ...line, attempt: 2 })}\n`);
  expect(await tasksWith(studio, 'rightly')).toEqual([2, line.index].sort());
});

test('U5: records that are missing or damaged have nothing, and the others are found', async () => {
  const folder = await playQuiz([
    { question: long('haystack'), answer: '1' },
    { question: 'the haystack', answer: '2' },
    { question: 'haystack again', answer: '3' },
  ]);
  await rm(join(folder, 'blobs'), { recursive: true });
  await rm(join(folder, 'events', '1.1.jsonl'));
  await writeFile(join(folder, 'events', '0.1.jsonl'), '{"haystack\n', { flag: 'a' });
  // Nobody ever writes to it.
  execFileSync('mkfifo', [join(folder, 'events', '1.1.jsonl')]);
  const studio = await openStudio({ runs: [folder] });
  const { rows, search } = await find(studio, 'haystack');
  expect(rows.map(({ index }) => index)).toEqual([2]);
  expect(search).toEqual({ read: 3, total: 3 });
});

test('U5: a record of megabytes is searched to its end, and its last line only if it is whole', async () => {
  const folder = await playQuiz(questions(2));
  const path = join(folder, 'events', '1.1.jsonl');
  const note = (text: string) => `${JSON.stringify({ n: 9, at: 0, type: 'note', text })}\n`;
  for (let at = 0; at < 300; at += 1) await appendFile(path, note(`part ${at} ${'word '.repeat(2_000)}`));
  await appendFile(path, note('the very end') + note('half a line').slice(0, 48));
  const studio = await openStudio({ runs: [folder] });
  expect(await tasksWith(studio, 'part 104')).toEqual([1]);
  expect(await tasksWith(studio, 'part 299')).toEqual([1]);
  expect(await tasksWith(studio, 'very end')).toEqual([1]);
  expect(await tasksWith(studio, 'half a li')).toEqual([]);
});
