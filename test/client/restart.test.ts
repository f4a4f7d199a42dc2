import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, connectOxp, OutcomeUnknown, SessionTerminated } from 'tiltyard/client';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, rejection } from '../support/client.ts';
import { folderWith, type Run, run, untilPrinted } from '../support/command.ts';

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
async function startMortal() {
  const folder = await mkdtemp(join(tmpdir(), 'tiltyard-restart-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const ledger = join(folder, 'ledger');
  const module = join(await folderWith({ 'server.ts': MODULE }), 'server.ts');
  const port = await freePort();
  const start = async (): Promise<Run> => {
    const running = run(['serve', module, '--port', String(port)], { LEDGER: ledger });
    await untilPrinted(running, /http:\/\/\S+/);
    return running;
  };
  let running = await start();
  return {
    url: `http://127.0.0.1:${port}`,
    lines: async () => (await readFile(ledger, 'utf8').catch(() => '')).split('\n').slice(0, -1),
    async killAndRestart() {
      running.child.kill('SIGKILL');
      await running.exit;
      running = await start();
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
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
