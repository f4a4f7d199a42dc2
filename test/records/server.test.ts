import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { RECORD_SCHEMA, type RecordEvent, readStoredRecord, taskHashOf } from 'tiltyard/records';
import { createServer } from 'tiltyard/server';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/protocol/index.ts';
import { eventually } from '../support/clock.ts';
import { startServer } from '../support/http.ts';
import { linesOf, logLines } from '../support/log-lines.ts';
import { minimal } from '../support/minimal.ts';
import { eventsOf, newFolder, onlyRecordIn, recordsIn } from './folders.ts';

test('Q3: every episode is recorded as it was: prompt, calls, results, rewards, failures and end', async () => {
  const folder = newFolder();
  const server = await startServer({ record: { folder } });
  const sid = await server.create({ split: 'train', index: 3 });
  await server.get('/math/prompt', { sid });
  await server.get('/math/prompt', { sid });
  await server.call(sid, 'details', {}, { taskId: 'first' });
  await server.call(sid, 'num', { x: 1 });
  await server.call(sid, 'fail');
  await server.call(sid, 'boom');
  await server.call(sid, 'nothing');
  await server.call(sid, 'num', { x: 'no' });
  const answer = await server.call(sid, 'submit', { answer: '6' });
  await server.post('/delete', {}, { sid });
  await server.server.close();
  const events = await onlyRecordIn(folder);
  expect(events).toMatchObject([
    { type: 'episode', v: 1, by: 'server', environment: 'math', split: 'train', index: 3, id: sid },
    { type: 'prompt', blocks: [{ text: 'math: What is 3+3?' }, { type: 'image', data: 'aGk=' }] },
    { type: 'call', tool: 'details', input: {}, id: 'first' },
    { type: 'result', call: 2, outcome: 'returned', reward: 0.5, finished: false, metadata: { m: [1, null] } },
    // As it was sent, without the defaults that the tool saw.
    { type: 'call', tool: 'num', input: { x: 1 } },
    { type: 'result', call: 4, outcome: 'returned', reward: null },
    { type: 'call', tool: 'fail' },
    { outcome: 'tool_error', failure: { reason: 'tool_error', message: "Tool 'fail' failed: the file is not there" } },
    { type: 'call', tool: 'boom' },
    { outcome: 'env_error', failure: { reason: 'broken', message: expect.stringContaining('boom') } },
    { type: 'call', tool: 'nothing' },
    { outcome: 'tool_error', failure: { reason: 'not_found', code: 'unknown_tool' } },
    { type: 'call', tool: 'num', input: { x: 'no' } },
    { outcome: 'tool_error', failure: { reason: 'input_validation', code: 'invalid_input' } },
    { type: 'call', tool: 'submit', input: { answer: '6' } },
    { type: 'result', call: 14, ...answer.result?.output },
    { type: 'end', outcome: 'finished', stop: 'finished', fault: 'none', calls: 7, rewards: { count: 2, sum: 1.5 } },
  ] as object[]);
  expect((events[4] as { input: object }).input).toEqual({ x: 1 });
  const [first] = events as [Extract<RecordEvent, { type: 'episode' }>];
  expect(first.tools?.map(({ name }) => name)).toContain('submit');
  expect(Number.isSafeInteger(first.seed)).toBe(true);
});

test('Q1: a record says by a hash which task of a split was played, the same as a run says it', async () => {
  const folder = newFolder();
  const server = await startServer({ record: { folder } });
  const { task } = (await server.post('/math/task', { split: 'train', index: 3 })).json as { task: JsonObject };
  await server.create({ split: 'train', index: 3 });
  await server.server.close();
  const [first] = await onlyRecordIn(folder);
  expect(first).toMatchObject({ split: 'train', index: 3, taskHash: taskHashOf(task) });
});

test('Q3: what servers record fits the published schema', async () => {
  const folder = newFolder();
  const server = await startServer({ record: { folder } });
  const sid = await server.create({ task_spec: { question: 'mine', setup_fail: 'no' } });
  await server.call(sid, 'submit', { answer: '6' });
  const other = await server.create({ split: 'train', index: 0 });
  await server.get('/math/prompt', { sid: other });
  await server.call(other, 'big', { n: 100_000, ch: 'x' });
  await server.call(other, 'boom');
  await server.server.close();
  const validate = new Ajv2020({ strict: false }).compile(RECORD_SCHEMA);
  const files = recordsIn(folder);
  expect(files).toHaveLength(2);
  for (const file of files)
    for await (const event of readStoredRecord(file)) expect(validate(event) || [event, validate.errors]).toBe(true);
  const ends = await Promise.all(files.map(async (file) => (await eventsOf(file)).at(-1)));
  expect(ends.find((end) => (end as { stop?: string }).stop === 'setup_failed')).toMatchObject({
    outcome: 'env_error',
  });
});

test('Q3: neither secrets nor keys are in any file, and nobody else may read them', async () => {
  const folder = newFolder();
  const key = 'the-key-of-ada-0123456789';
  const server = await startServer({
    record: { folder: join(folder, 'made') },
    auth: { apiKeys: [{ key, identity: 'ada' }] },
  });
  const headers = { 'x-api-key': key };
  const secret = 'sk-0123456789-very-secret';
  const sid = 'mine';
  await server.post('/create', { split: 'train', index: 0, secrets: { TOKEN: secret } }, { sid, headers });
  await server.call(sid, 'secret', {}, { headers });
  await server.call(
    sid,
    'echo',
    { value: { [secret]: [Buffer.from(secret).toString('base64'), 'x'.repeat(30_000) + secret] } },
    { headers },
  );
  await server.call(sid, 'boom', { message: `no ${secret}` }, { headers });
  await server.post('/delete', {}, { sid, headers });
  await server.server.close();
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const entry of files) {
    const path = join(entry.parentPath, entry.name);
    expect(statSync(path).mode & 0o777, path).toBe(entry.isFile() ? 0o600 : 0o700);
    if (!entry.isFile()) continue;
    const text = readFileSync(path, 'latin1');
    expect(text).not.toContain('very-secret');
    expect(text).not.toContain(Buffer.from(secret).toString('base64').slice(4, -4));
    expect(text).not.toContain(key);
  }
  const events = await onlyRecordIn(folder);
  expect(events[0]).toMatchObject({ identity: 'ada', id: 'mine' });
  expect(JSON.stringify(events)).toContain('[secret]');
  expect(events.filter(({ type }) => type === 'result')).toHaveLength(3);
});

test('Q3: hostile session ids, splits and tools never become paths', async () => {
  const folder = newFolder();
  const environments = [minimal({ splits: { '../../up': [{}] } })];
  const server = await startServer({ environments, record: { folder: join(folder, 'in') } });
  for (const sid of ['../../../etc/x', '..', 'a/b\\c', '%2e%2e%2f', 'x'.repeat(100)]) {
    await server.post('/create', { split: '../../up', index: 0 }, { sid });
    await server.call(sid, '../../x', {}, { env: 'minimal' });
  }
  await server.server.close();
  expect(readdirSync(folder)).toEqual(['in']);
  const files = recordsIn(folder);
  expect(files).toHaveLength(5);
  for (const file of files)
    expect(file.slice(folder.length)).toMatch(/^\/in\/[\w-]+\/minimal-______up-0-[0-9a-f]{16}\.jsonl$/);
});

test('Q3: episodes of the same session id are records of their own', async () => {
  const folder = newFolder();
  const server = await startServer({ record: { folder } });
  for (let time = 0; time < 3; time += 1) {
    await server.create({ split: 'train', index: 0 }, 'again');
    await server.call('again', 'noargs');
    await server.post('/delete', {}, { sid: 'again' });
  }
  await server.server.close();
  expect(recordsIn(folder)).toHaveLength(3);
});

test('Q3: the oldest records make room for new ones, and those of running episodes stay', async () => {
  const folder = newFolder();
  const lines = logLines();
  const maxBytes = 1e6;
  const server = await startServer({ record: { folder, maxBytes }, logger: lines.logger });
  const first = await server.create();
  for (let time = 0; time < 30; time += 1) {
    const sid = await server.create();
    // Different each time: what is the same is stored once.
    await server.call(sid, 'big', { n: 150_000, ch: String.fromCharCode(65 + time) });
    await server.post('/delete', {}, { sid });
  }
  await server.call(first, 'noargs');
  await server.post('/delete', {}, { sid: first });
  const metrics = await server.get('/metrics');
  await server.server.close();
  const sizes = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(maxBytes * 1.3);
  const records = await Promise.all(recordsIn(folder).map(eventsOf));
  expect(records.find(([episode]) => (episode as { id?: string }).id === first)).toHaveLength(4);
  expect(records.length).toBeLessThan(30);
  expect(linesOf(lines, 'the folder of records is full: the oldest make room for new ones')).toHaveLength(1);
  expect(metrics.text).toContain('tiltyard_record_events_total{result="dropped"} 0');
});

test('a folder that cannot be used is refused when the server starts', async () => {
  const environments = [minimal()];
  const folder = newFolder();
  await expect(createServer({ environments, record: { folder: '' } })).rejects.toThrow('record.folder must be');
  await expect(createServer({ environments, record: { folder, maxBytes: 5 } })).rejects.toThrow(
    'bytes from 1000000, not 5',
  );
  await expect(createServer({ environments, record: { folder, max: 5 } as never })).rejects.toThrow(
    "unknown key 'max'. Known keys: folder, maxBytes",
  );
  await expect(createServer({ environments, record: { folder: '/dev/null/x' } })).rejects.toThrow(
    'records cannot be written to /dev/null/x',
  );
});

test('records can be read while their episodes go on', async () => {
  const folder = newFolder();
  const server = await startServer({ record: { folder } });
  const sid = await server.create();
  await server.call(sid, 'noargs');
  await eventually(async () => {
    const events = await onlyRecordIn(folder);
    expect(events.map(({ type }) => type)).toEqual(['episode', 'call', 'result']);
  });
});
