import { openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../test/support/clock.ts';
import { linesOf, logLines } from '../../../../test/support/log-lines.ts';
import { environment } from '../../../core/index.ts';
import { createServer, type Server, type ServerOptions } from '../../index.ts';

const blocking = environment({
  name: 'blocking',
  splits: { train: [{}] },
  prompt: () => '',
  tools: {
    spin: {
      run() {
        const end = performance.now() + 700;
        while (performance.now() < end);
        return 'spun';
      },
    },
  },
});

async function start(options: Partial<ServerOptions>): Promise<Server> {
  const server = await createServer({ environments: [blocking], limits: { maxBlockMs: 200 }, ...options });
  onTestFinished(() => server.close());
  return server;
}

async function spin({ app }: Server): Promise<void> {
  const headers = { 'x-session-id': 'a', host: 'localhost' };
  await app.inject({ method: 'POST', url: '/create', headers, payload: { split: 'train', index: 0 } });
  await app.inject({ method: 'POST', url: '/blocking/call', headers, payload: { name: 'spin', input: {} } });
}

test('a server in a program of its own has a watchdog if it asks for one: its logger hears of the end of a block', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'watchdog-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const fd = openSync(join(folder, 'lines'), 'w');
  const lines = logLines();
  const server = await start({ watchdog: { fd }, logger: lines.logger });
  // The thread takes a moment to start: until it watches, a block is nobody's.
  for (let written = ''; !written.includes('blocked'); written = readFileSync(join(folder, 'lines'), 'utf8'))
    await spin(server);
  // On a busy machine, something else may have blocked as well.
  const ofTool = () => lines.text().match(/"msg":"(the process was blocked for [\d.]+ s by tool [^"]+)"/)?.[1] ?? '';
  const message = await eventually(() => {
    expect(ofTool()).toMatch(/ s by tool 'spin' of environment 'blocking'$/);
    return ofTool();
  });
  const [line] = linesOf(lines, message);
  expect(line).toMatchObject({ level: 40, tool: 'spin', environment: 'blocking', sid: 'a', part: 'tool' });
  const { body } = await server.app.inject({ url: '/metrics', headers: { host: 'localhost' } });
  expect(body).toMatch(/\ntiltyard_blocked_total\{environment="blocking",part="tool",tool="spin"\} [1-9]/);
});

test('without being asked for there is no watchdog, and a wrong option is refused', async () => {
  const server = await start({ logger: false });
  expect((await server.app.inject({ url: '/metrics', headers: { host: 'localhost' } })).body).not.toContain('blocked');
  for (const watchdog of ['on', { fd: -1 }, { file: 2 }] as unknown as true[])
    await expect(start({ watchdog })).rejects.toThrow('createServer: watchdog must be true, false, or { fd }');
});

test('servers of one process share a watchdog, which ends with the last of them', async () => {
  const exitListeners = () => process.listenerCount('exit');
  const before = exitListeners();
  const servers = [await start({ logger: false, watchdog: true }), await start({ logger: false, watchdog: true })];
  expect(exitListeners()).toBe(before + 1);
  await servers[0]?.close();
  expect(exitListeners()).toBe(before + 1);
  await servers[1]?.close();
  expect(exitListeners()).toBe(before);
});
