import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, connectOxp, OutcomeUnknown, SessionTerminated } from 'tiltyard/client';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, rejection } from '../support/client.ts';
import { folderWith, type Run, run, untilPrinted } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';

// Each run leaves a line; the first waits for longer than anybody lets it live, and any later one returns at once.
const MODULE = `
import { appendFileSync, readFileSync } from 'node:fs';
import { environment, tool, toolkit } from 'tiltyard';
import { z } from 'zod';

const append = tool({
  description: 'Appends a line to a file.',
  input: z.object({ line: z.string() }),
  output: z.string(),
  async run({ line }) {
    appendFileSync(process.env.LEDGER, line + '\\n');
    if (readFileSync(process.env.LEDGER, 'utf8').split('\\n').length === 2) await new Promise((resolve) => setTimeout(resolve, 600_000));
    return 'appended';
  },
});
export const files = toolkit({ name: 'Files', tools: { Append: append } });
export const env = environment({ name: 'files', splits: { train: [{}] }, prompt: () => 'append', tools: { append } });
`;

/** A server that can be killed and started again on its port. */
async function startMortal({ module: text = MODULE, options = [] as readonly string[] } = {}) {
  const folder = temporaryFolder('tiltyard-restart-');
  const ledger = join(folder, 'ledger');
  const module = join(await folderWith({ 'server.ts': text }), 'server.ts');
  const port = await freePort();
  // What an option names is in the folder of this server.
  const inFolder = (option: string) => (option.startsWith('-') ? option : join(folder, option));
  const start = async (): Promise<Run> => {
    const running = run(['serve', module, '--port', String(port), ...options.map(inFolder)], { LEDGER: ledger });
    await untilPrinted(running, /http:\/\/\S+/);
    return running;
  };
  let running = await start();
  return {
    url: `http://127.0.0.1:${port}`,
    lines: async () => (await readFile(ledger, 'utf8').catch(() => '')).split('\n').slice(0, -1),
    async killAndRestart(downMs = 0) {
      running.child.kill('SIGKILL');
      await running.exit;
      await new Promise((resolve) => setTimeout(resolve, downMs));
      running = await start();
    },
  };
}

const PATIENT = { attempts: 1_000, pauseMs: 20, maxPauseMs: 100 };

test('a call over OXP whose server is killed and restarted runs once, and its client is told what to do', async () => {
  const server = await startMortal();
  const client = connectOxp(server.url, { retry: PATIENT });
  const call = rejection(client.call('Files.Append', { line: 'first' }));
  await eventually(async () => expect(await server.lines()).toEqual(['first']));
  await server.killAndRestart();
  const error = await call;
  expect(error).toBeInstanceOf(OutcomeUnknown);
  expect(error.message).toMatch(/server restarted.*may have run.*Find out what it did before you call it again/s);
  expect(error.taskId).toBeTypeOf('string');
  expect(await server.lines()).toEqual(['first']);
  expect((await client.call('Files.Append', { line: 'second' })).value).toBe('appended');
  expect(await server.lines()).toEqual(['first', 'second']);
});

test.each(['a session that is over', 'a session that somebody created again under its id'])(
  'a call into %s after its server was killed and restarted runs once',
  async (what) => {
    const server = await startMortal();
    const client = connect(server.url, { apiKey: '', environment: 'files', retry: PATIENT, pingMs: 60_000 });
    const session = await client.session({ split: 'train', index: 0 });
    onTestFinished(() => void session.close({ timeoutMs: 1_000 }).catch(() => {}));
    const call = rejection(session.call('append', { line: 'first' }));
    await eventually(async () => expect(await server.lines()).toEqual(['first']));
    const restarted = server.killAndRestart();
    if (what.includes('again')) {
      // Before the client comes back, as a trainer does that restores its sessions.
      const body = JSON.stringify({ env_name: 'files', split: 'train', index: 0 });
      const headers = { 'x-session-id': session.sid, 'content-type': 'application/json' };
      await restarted;
      await fetch(`${server.url}/create`, { method: 'POST', headers, body });
    }
    await restarted;
    const error = await call;
    expect(error instanceof OutcomeUnknown || error instanceof SessionTerminated).toBe(true);
    expect(error.outcome).toBeUndefined();
    expect(await server.lines()).toEqual(['first']);
  },
);

// Each run leaves a line; the first run of 'slow' waits for longer than anybody lets it live.
const KEPT_MODULE = `
import { appendFileSync, readFileSync } from 'node:fs';
import { environment, step, tool, toolkit } from 'tiltyard';
import { z } from 'zod';

const input = z.object({ line: z.string() });
async function append({ line }, { callId, attempt }) {
  appendFileSync(process.env.LEDGER, line + '\\n');
  const times = readFileSync(process.env.LEDGER, 'utf8').split('\\n').filter((each) => each === line).length;
  if (line === 'slow' && times === 1) await new Promise((resolve) => setTimeout(resolve, 600_000));
  return line + ' ' + attempt + ' ' + process.hrtime.bigint();
}
const description = 'Appends a line to a file.';
export const files = toolkit({
  name: 'Files',
  tools: {
    Append: tool({ description, input, output: z.string(), run: append }),
    Put: tool({ description, input, output: z.string(), effects: 'idempotent', run: append }),
  },
});
const tools = {
  append: { description, input, effects: 'external', run: append },
  add: {
    description,
    input,
    async run({ line }, { state, callId, attempt }) {
      await append({ line }, { callId, attempt });
      state.count += 1;
      return step(String(state.count), { reward: 1 });
    },
  },
};
const setup = () => ({ count: 0 });
const splits = { train: [{}] };
const prompt = () => 'append';
export const kept = environment({ name: 'kept', durability: 'replay', splits, setup, prompt, tools });
export const plain = environment({ name: 'plain', splits, setup, prompt, tools });
`;

const JOURNAL = { module: KEPT_MODULE, options: ['--journal', 'journal'] };

test('J14: with a journal, a client over OXP repeats its call over a restart, and what may have run is not run again', async () => {
  const server = await startMortal(JOURNAL);
  const client = connectOxp(server.url, { retry: PATIENT });
  const order = await client.call('Files.Append', { line: 'order' }, { callId: 'order-7' });
  const call = rejection(client.call('Files.Append', { line: 'slow' }));
  await eventually(async () => expect(await server.lines()).toEqual(['order', 'slow']));
  await server.killAndRestart();
  const error = await call;
  expect(error).toBeInstanceOf(OutcomeUnknown);
  expect(error).toMatchObject({ outcome: 'env_error', message: expect.stringMatching(/server does not know/) });
  // Also a client that has only just come gets the result of what had ended.
  for (const each of [client, connectOxp(server.url)])
    expect(await each.call('Files.Append', { line: 'order' }, { callId: 'order-7' })).toEqual(order);
  expect(await server.lines()).toEqual(['order', 'slow']);
});

test('J14: with a journal, an idempotent call over OXP is answered once over a restart, by its second attempt', async () => {
  const server = await startMortal(JOURNAL);
  const client = connectOxp(server.url, { retry: PATIENT });
  const call = client.call('Files.Put', { line: 'slow' });
  await eventually(async () => expect(await server.lines()).toEqual(['slow']));
  await server.killAndRestart();
  expect((await call).value).toMatch(/^slow 2 /);
  expect(await server.lines()).toEqual(['slow', 'slow']);
});

test('J2, J3: with a journal, a session goes on over a restart in the hands of its client', async () => {
  const server = await startMortal(JOURNAL);
  const client = connect(server.url, { apiKey: '', environment: 'kept', retry: PATIENT, pingMs: 60_000 });
  const session = await client.session({ split: 'train', index: 0 });
  onTestFinished(() => void session.close({ timeoutMs: 1_000 }).catch(() => {}));
  expect((await session.call('append', { line: 'mail' })).text).toMatch(/^mail 1 /);
  expect((await session.call('add', { line: 'one' })).text).toBe('1');
  const call = session.call('add', { line: 'slow' });
  await eventually(async () => expect(await server.lines()).toContain('slow'));
  await server.killAndRestart();
  expect(await call).toMatchObject({ text: '2', reward: 1 });
  expect((await session.call('add', { line: 'three' })).text).toBe('3');
  expect((await server.lines()).filter((line) => line === 'mail')).toHaveLength(1);
});

test('J3: an external call that was cut off by a restart is OutcomeUnknown to its client, and the session goes on', async () => {
  const server = await startMortal(JOURNAL);
  const client = connect(server.url, { apiKey: '', environment: 'kept', retry: PATIENT, pingMs: 60_000 });
  const session = await client.session({ split: 'train', index: 0 });
  onTestFinished(() => void session.close({ timeoutMs: 1_000 }).catch(() => {}));
  const call = rejection(session.call('append', { line: 'slow' }));
  await eventually(async () => expect(await server.lines()).toEqual(['slow']));
  await server.killAndRestart();
  const error = await call;
  expect(error).toBeInstanceOf(OutcomeUnknown);
  expect(error).toMatchObject({ code: 'outcome_unknown', message: expect.stringMatching(/not known whether/) });
  expect((await session.call('add', { line: 'one' })).text).toBe('1');
  expect(await server.lines()).toEqual(['slow', 'one']);
});

test('J11: with a journal, a session of an environment that keeps nothing is told to be lost', async () => {
  const server = await startMortal(JOURNAL);
  const client = connect(server.url, { apiKey: '', environment: 'plain', retry: PATIENT, pingMs: 60_000 });
  const session = await client.session({ split: 'train', index: 0 });
  onTestFinished(() => void session.close({ timeoutMs: 1_000 }).catch(() => {}));
  const call = rejection(session.call('add', { line: 'slow' }));
  await eventually(async () => expect(await server.lines()).toEqual(['slow']));
  await server.killAndRestart();
  const error = await call;
  expect(error).toBeInstanceOf(SessionTerminated);
  expect(error).toMatchObject({ code: 'session_lost', outcome: 'env_error', message: expect.stringMatching(/lost/) });
  expect(await server.lines()).toEqual(['slow']);
});

test('a client that makes more attempts rides through a longer restart', async () => {
  const server = await startMortal(JOURNAL);
  // As the documents say, for half a minute at least.
  const client = connectOxp(server.url, { retry: { attempts: 12 } });
  const call = client.call('Files.Put', { line: 'slow' });
  await eventually(async () => expect(await server.lines()).toEqual(['slow']));
  await server.killAndRestart(3_000);
  expect((await call).value).toMatch(/^slow 2 /);
});
