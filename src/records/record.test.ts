import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonValue } from '../protocol/index.ts';
import {
  BlobFolder,
  type NewEvent,
  RECORD_SCHEMA,
  type ReadOptions,
  RecordError,
  type RecordEvent,
  RecordWriter,
  readRecord,
  readStoredRecord,
  taskHashOf,
} from './index.ts';

const EPISODE: NewEvent = { type: 'episode', by: 'test', environment: 'gsm8k', split: 'test', index: 3 };
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tiltyard-record-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'episode.jsonl');
}

async function read(file: string, options?: ReadOptions): Promise<RecordEvent[]> {
  const events: RecordEvent[] = [];
  for await (const event of readRecord(file, options)) events.push(event);
  return events;
}

const EVERYTHING: readonly NewEvent[] = [
  {
    ...EPISODE,
    task: { question: 'How many?' },
    taskHash: 'abc',
    seed: 7,
    id: 'e1',
    identity: 'ada',
    repeat: 0,
    attempt: 1,
    agent: 'openai/gpt',
    tools: [{ name: 'submit', description: 'Submit.', input_schema: { type: 'object' } }],
    versions: { environment: '2.0.0' },
    tags: { wave: 'one' },
  },
  {
    type: 'prompt',
    blocks: [
      { type: 'text', text: 'How many?', detail: null },
      { type: 'image', data: PIXEL, mimeType: 'image/png', detail: { quality: 'low' } },
    ],
  },
  { type: 'message', role: 'user', format: 'openai-chat', body: { role: 'user', content: 'How many?' } },
  {
    type: 'message',
    role: 'assistant',
    format: 'openai-chat',
    body: { role: 'assistant', content: null, tool_calls: [{ id: 'c1', signature: 'x\u2028y' }] },
    model: {
      name: 'gpt',
      context: [[2, 2]],
      parameters: { temperature: 0 },
      ms: 12.5,
      usage: { input: 10, output: 3, cached: 2, reasoning: 1 },
      stop: 'tool_calls',
    },
  },
  { type: 'call', tool: 'submit', input: { answer: '72' }, id: 't1', message: 3 },
  {
    type: 'result',
    call: 4,
    ms: 1.25,
    outcome: 'returned',
    blocks: [{ type: 'text', text: 'Wrong.', detail: null }],
    reward: 0.5,
    finished: false,
    metadata: { tries: 1 },
  },
  { type: 'call', tool: 'nothing', input: {} },
  {
    type: 'result',
    call: 6,
    ms: 1,
    outcome: 'tool_error',
    failure: { reason: 'not_found', message: 'no such tool', code: 'unknown_tool' },
  },
  { type: 'note', text: 'It is late.', data: [1, 2] },
  { type: 'end', outcome: 'cancelled', stop: 'gave_up', fault: 'agent' },
];

test('Q1: what is written is read again, in order, and numbered', async () => {
  const file = newFile();
  using writer = RecordWriter.open(file);
  const numbers = EVERYTHING.map((event) => writer.append(event));
  expect(numbers).toEqual(EVERYTHING.map((_, n) => n));
  const events = await read(file);
  expect(events).toHaveLength(EVERYTHING.length);
  for (const [n, event] of EVERYTHING.entries())
    if (event.type !== 'episode') expect(events[n]).toMatchObject({ n, ...event } as object);
  expect(events[0]).toMatchObject({ v: 1, versions: { environment: '2.0.0', node: process.versions.node } });
  expect(events.at(-1)).toMatchObject({ calls: 2, rewards: { count: 1, sum: 0.5, last: 0.5, min: 0.5, max: 0.5 } });
});

test('Q1: every line fits the published schema, and has no field that it does not name', async () => {
  const file = newFile();
  using writer = RecordWriter.open(file);
  for (const event of EVERYTHING) writer.append(event);
  const validate = new Ajv2020({ strict: false }).compile(strictly(RECORD_SCHEMA) as object);
  for await (const event of readStoredRecord(file)) expect(validate(event) || [event, validate.errors]).toBe(true);
  expect(validate({ n: 0, at: 0, type: 'call', tool: 'x' })).toBe(false);
  expect(validate({ n: 0, at: 0, type: 'odd' })).toBe(false);
});

/** The same schema, with no room for fields that it does not name. */
function strictly(schema: JsonValue): JsonValue {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(strictly);
  const strict = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strictly(value)]));
  return 'properties' in strict ? { ...strict, additionalProperties: false } : strict;
}

test('Q1: docs/record.schema.json is this schema', () => {
  const path = new URL('../../docs/record.schema.json', import.meta.url);
  if (process.env.UPDATE_DOCS === '1') writeFileSync(path, JSON.stringify(RECORD_SCHEMA));
  const mend = 'mend it with: UPDATE_DOCS=1 npx vitest run src/records && npm run format';
  expect(JSON.parse(readFileSync(path, 'utf8')), mend).toEqual(RECORD_SCHEMA);
});

test('Q1: images and large texts are in files named by their hash, once each, for nobody else to read', async () => {
  const file = newFile();
  using writer = RecordWriter.open(file);
  const long = 'long '.repeat(10_000);
  const image = { type: 'image', data: PIXEL, mimeType: 'image/png', detail: null } as const;
  const url = `data:image/png;base64,${Buffer.from(long).toString('base64')}`;
  const events: NewEvent[] = [
    EPISODE,
    { type: 'prompt', blocks: [image, image, { type: 'text', text: long, detail: null }] },
    {
      type: 'message',
      role: 'user',
      format: 'openai-chat',
      body: { content: [{ image_url: { url } }, long, '\ud800'.repeat(20_000)] },
    },
    { type: 'note', text: long, data: { $blob: 'mine', bytes: 1 } },
  ];
  for (const event of events) writer.append(event);
  expect((await read(file)).slice(1)).toEqual(events.slice(1).map((event) => expect.objectContaining(event)));
  const blobs = join(file, '..', 'blobs');
  // The image, the text (which is also what the URL holds), half characters, and what only looks like a reference.
  expect(readdirSync(blobs)).toHaveLength(4);
  expect(statSync(file).size).toBeLessThan(3_000);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(blobs).mode & 0o777).toBe(0o700);
  for (const blob of readdirSync(blobs)) expect(statSync(join(blobs, blob)).mode & 0o777).toBe(0o600);
});

test('Q1: tools are in the record itself, and in a file of their own where records share a folder for that', async () => {
  const [alone, shared] = [newFile(), newFile()];
  const tools = [{ name: 'look', description: 'Look around.', input_schema: null }];
  const event: NewEvent = { ...EPISODE, tools };
  using one = RecordWriter.open(alone);
  one.append(event);
  using other = RecordWriter.open(shared, { blobs: join(shared, '..', 'blobs') });
  other.append(event);
  expect(readFileSync(alone, 'utf8')).toContain('Look around.');
  expect(readFileSync(shared, 'utf8')).not.toContain('Look around.');
  for (const file of [alone, shared]) expect((await read(file))[0]).toMatchObject({ tools });
});

test('Q1: no secret is in any file, in whichever field or form', async () => {
  const file = newFile();
  const secrets = { KEY: 'sk-very-secret-value', PIN: '482913', WORD: 'call' };
  using writer = RecordWriter.open(file, { secrets });
  const told = `the key is ${secrets.KEY}, ${Buffer.from(secrets.KEY).toString('base64')} and ${secrets.PIN}`;
  const blocks = [{ type: 'text', text: told + 'x'.repeat(40_000), detail: { told } } as const];
  writer.append({ ...EPISODE, task: { told }, id: told, identity: told, agent: told, tags: { told } } as NewEvent);
  writer.append({ type: 'prompt', blocks });
  writer.append({ type: 'message', role: 'user', format: 'anthropic', body: { [told]: [told] } });
  writer.append({ type: 'call', tool: told, input: { told, pin: 482913 }, id: told });
  const failure = { reason: 'tool_error', message: told };
  writer.append({ type: 'result', call: 3, ms: 1, outcome: 'tool_error', failure });
  writer.append({ type: 'call', tool: 'again', input: {} });
  const result = { outcome: 'returned', blocks, reward: 1, finished: true, metadata: { told } } as const;
  writer.append({ type: 'result', call: 5, ms: 1, ...result });
  writer.append({ type: 'note', text: told, data: { told } });
  writer.append({ type: 'end', outcome: 'finished' });
  const folder = join(file, '..');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  expect(files.length).toBeGreaterThan(1);
  for (const { parentPath, name } of files) {
    const text = readFileSync(join(parentPath, name), 'latin1');
    expect(text).toContain('[secret]');
    expect(text).not.toContain('very-secret');
    expect(text).not.toContain('482913');
    expect(text).not.toContain(Buffer.from(secrets.KEY).toString('base64'));
  }
  // A secret that is one of our own words does not make the record unreadable.
  expect((await read(file)).map(({ type }) => type)).toEqual([
    'episode',
    'prompt',
    'message',
    'call',
    'result',
    'call',
    'result',
    'note',
    'end',
  ]);
});

test('Q1: tools that records have in common are one blob for all who have the same secrets, and have none of them', async () => {
  const folder = join(newFile(), '..');
  const blobs = new BlobFolder(join(folder, 'blobs'));
  const description = 'Ask with sk-very-secret-value or sk-another-secret.';
  const write = (name: string, secrets: Readonly<Record<string, string>>) => {
    const file = join(folder, name);
    using writer = RecordWriter.open(file, { blobs, secrets });
    writer.append({ ...EPISODE, tools: [{ name: 'ask', description, input_schema: null }] });
    return file;
  };
  const [one, other] = [{ KEY: 'sk-very-secret-value' }, { KEY: 'sk-another-secret' }];
  const files = [write('a', one), write('b', one), write('c', other), write('d', {})];
  const told = await Promise.all(files.map(async (file) => (await read(file))[0]));
  const hidden = (secret: string) => ({ tools: [{ description: description.replace(secret, '[secret]') }] });
  expect(told).toMatchObject([hidden(one.KEY), hidden(one.KEY), hidden(other.KEY), { tools: [{ description }] }]);
  expect(readdirSync(blobs.folder)).toHaveLength(3);
});

test('Q2: a torn last line is left out, and cut off before the next is written, wherever it was torn', async () => {
  const whole = newFile();
  using first = RecordWriter.open(whole);
  for (const event of EVERYTHING.slice(0, 6)) first.append(event);
  const bytes = readFileSync(whole);
  const lastLine = bytes.lastIndexOf('\n', bytes.length - 2) + 1;
  for (let at = 0; at <= bytes.length; at += at < 20 || at > lastLine ? 1 : 37) {
    const file = `${whole}.${at}`;
    writeFileSync(file, bytes.subarray(0, at));
    const lines = bytes.subarray(0, at).toString('latin1').split('\n').length - 1;
    expect(await read(file)).toHaveLength(lines);
    using writer = RecordWriter.open(file, { existing: 'resume' });
    expect(writer.next).toBe(lines);
    if (lines === 0) writer.append(EPISODE);
    writer.append({ type: 'note', text: 'on' });
    const events = await read(file);
    expect(events.map(({ n }) => n)).toEqual(events.map((_, n) => n));
    expect(events.at(-1)).toMatchObject({ type: 'note', text: 'on' });
  }
});

test('Q2: a record that goes on knows its rewards, and takes nothing after its end', async () => {
  const file = newFile();
  const writer = RecordWriter.open(file);
  for (const event of EVERYTHING.slice(0, 6)) writer.append(event);
  writer.close();
  using again = RecordWriter.open(file, { existing: 'resume' });
  again.append({ type: 'end', outcome: 'finished' });
  expect((await read(file)).at(-1)).toMatchObject({ calls: 1, rewards: { count: 1, sum: 0.5 } });
  expect(() => again.append({ type: 'note', text: 'late' })).toThrow("has ended: no 'note' can follow");
});

test('Q2: a file grows linearly with turns', () => {
  const file = newFile();
  using writer = RecordWriter.open(file);
  writer.append(EPISODE);
  const sizes = [1, 2, 3, 4].map(() => {
    for (let turn = 0; turn < 500; turn += 1) {
      const model = { name: 'm', ms: 1, context: [[1, writer.next - 1]] as const };
      writer.append({ type: 'message', role: 'assistant', format: 'anthropic', body: 'a turn', model, at: 1 });
    }
    return statSync(file).size;
  });
  const grown = sizes.slice(1).map((size, at) => size - (sizes[at] as number));
  expect(Math.max(...grown)).toBeLessThan(Math.min(...grown) * 1.1);
});

test('Q2: events are read one by one: those before a damaged line come before the error', async () => {
  const file = newFile();
  using writer = RecordWriter.open(file);
  writer.append(EPISODE);
  for (let n = 0; n < 1_000; n += 1) writer.add({ type: 'note', text: 'x'.repeat(1_000) });
  writer.flush();
  appendFileSync(file, 'odd\nodd\n');
  let count = 0;
  const reading = async () => {
    for await (const _event of readRecord(file)) count += 1;
  };
  await expect(reading()).rejects.toThrow(/line 1002 is not an event: odd/);
  expect(count).toBe(1_001);
});

test('what is not a record is neither read as one nor written into', async () => {
  const file = newFile();
  const problems: [string, RegExp][] = [
    ['{"a": 1}\n', /line 1 is not an event/],
    ['hello', /line 1 is not an event/],
    ['{\n  "calls": []\n}\n', /line 1 is not an event/],
    ['{"n":0,"at":1,"type":"note","text":""}\n', /its first event is not of type 'episode'/],
    ['{"n":0,"at":1,"type":"episode","v":2}\n', /version 2, and this tiltyard reads versions up to 1/],
    ['{"n":0,"at":1,"type":"episode","v":1}\nodd\n{"n":1,"at":1,"type":"note"}\n', /line 2 is not an event: odd/],
  ];
  for (const [text, problem] of problems) {
    writeFileSync(file, text);
    await expect(read(file)).rejects.toThrow(problem);
    await expect(read(file)).rejects.toBeInstanceOf(RecordError);
    if (!problem.source.startsWith('its') && !problem.source.startsWith('version'))
      expect(() => RecordWriter.open(file, { existing: 'resume' })).toThrow(/is not an event/);
    expect(readFileSync(file, 'utf8')).toBe(text);
  }
  expect(() => RecordWriter.open(file)).toThrow(/exists\. Choose another name/);
});

test('a blob that is missing, damaged or somewhere else is an error that says so', async () => {
  const file = newFile();
  const writer = RecordWriter.open(file);
  writer.append(EPISODE);
  writer.append({ type: 'note', text: 'x'.repeat(20_000) });
  const [blob = ''] = readdirSync(join(file, '..', 'blobs'));
  writeFileSync(join(file, '..', 'blobs', blob), 'y'.repeat(20_000));
  await expect(read(file)).rejects.toThrow(/is damaged/);
  await expect(read(file, { blobs: '/nowhere' })).rejects.toThrow(/is missing: copy the folder/);
  writeFileSync(file, readFileSync(file, 'utf8').replace(blob, '../../../etc/passwd'));
  await expect(read(file)).rejects.toThrow(/cannot have a blob named/);
});

test('tasks have the same hash if they are the same, whatever the order of their keys', () => {
  expect(taskHashOf({ a: 1, b: { c: [2], d: 3 } })).toBe(taskHashOf({ b: { d: 3, c: [2] }, a: 1 }));
  expect(taskHashOf({ a: 1 })).not.toBe(taskHashOf({ a: '1' }));
});
